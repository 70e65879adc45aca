// A message's closed sets with their words, tones and icons. A new value in the API breaks the build here.
import type { Schema } from '@/api/client'
import type { Tone } from './tone'

export type MessageStatus = Schema['MessageStatus']
export type MessageKind = Schema['MessageKind']
export type MessageChannel = Schema['MessageChannel']

export const MESSAGE_STATUSES = {
  queued: { tone: 'info', icon: 'clock' },
  sending: { tone: 'info', icon: 'send' },
  sent: { tone: 'success', icon: 'check' },
  delivered: { tone: 'success', icon: 'check-circle' },
  filed: { tone: 'warning', icon: 'document' },
  held: { tone: 'warning', icon: 'shield' },
  not_sent: { tone: 'warning', icon: 'alert' },
  failed: { tone: 'error', icon: 'alert' },
  unknown: { tone: 'error', icon: 'info' },
} as const satisfies Record<MessageStatus, { tone: Tone; icon: string }>

export const MESSAGE_KINDS = {
  auto_reply: 'Automatic reply',
  owner_notice: 'Notice to you',
  account_notice: 'Account notice',
} as const satisfies Record<MessageKind, string>

export const MESSAGE_CHANNELS = {
  sms: { label: 'SMS', inSentence: 'SMS', icon: 'message' },
  email: { label: 'Email', inSentence: 'email', icon: 'mail' },
} as const satisfies Record<MessageChannel, { label: string; inSentence: string; icon: string }>
