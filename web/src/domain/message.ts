// A message's closed sets with their words, tones and icons. A new value in the API breaks the build here.
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { formatWords } from '@/lib/format/words'
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
  not_sent: { tone: 'warning', icon: 'close' },
  failed: { tone: 'error', icon: 'alert' },
  unknown: { tone: 'error', icon: 'info' },
  received: { tone: 'neutral', icon: 'inbox' },
} as const satisfies Record<MessageStatus, { tone: Tone; icon: string }>

export const MESSAGE_KINDS = {
  auto_reply: 'Automatic reply',
  owner_notice: 'Notice to you',
  account_notice: 'Account notice',
  missed_call: 'Text after a missed call',
  nudge: 'Reminder',
  text_reply: 'Automatic answer',
  help_reply: 'Answer to HELP',
  stop_confirmation: 'Answer to STOP',
  manual: 'Written by hand',
  incoming: 'From the customer',
  test: 'Test',
  digest: 'Summary to you',
} as const satisfies Record<MessageKind, string>

export const MESSAGE_CHANNELS = {
  sms: { label: 'SMS', inSentence: 'SMS', icon: 'message' },
  email: { label: 'Email', inSentence: 'email', icon: 'mail' },
} as const satisfies Record<MessageChannel, { label: string; inSentence: string; icon: string }>

/** What a page hands to the conversation that stands on it. */
export type ConversationSlot = { customerId: string; leadId: string }

/** What the rules look at, by the names they note it under. */
const SAW_LABELS: Readonly<Record<string, string>> = {
  switchAutomatedCommunications: 'Switch “Automated communications”',
  switchLeadIntake: 'Switch “Lead intake”',
  switchJobTracking: 'Switch “Job tracking”',
  switchReviewCollection: 'Switch “Review collection”',
  templateEnabled: 'This template',
  hasAddress: 'Number or address known',
  heldForAPerson: 'Held for a person to look at',
  recipients: 'Saved recipients',
  smsConsent: 'Agreed to texts',
  optOut: 'Asked to stop',
  optedOut: 'Asked to stop',
  clock: 'Time of the decision',
  switchOn: 'The switch of this message',
  class: 'Kind of message in law',
  hoursFor: 'Hours that count',
  hours: 'Business hours',
  'hours.zones': 'Time zones of the number',
  'hours.states': 'States of the number',
  'hours.rule': 'Hours in which a text may arrive',
  'hours.source': 'Taken from',
  'hours.foundBy': 'Read from',
  textsToday: 'Automatic texts today',
  dailyTextBudget: 'Most automatic texts a day',
  staff: 'Staff or relative',
  blocked: 'Blocked',
  landline: 'A landline',
  emergency: 'Emergency words',
  nudgeOn: 'Reminder',
  minutesSinceLastAutomaticText: 'Minutes since the last automatic text',
  minutesSinceLastMissedCallText: 'Minutes since the last text after a missed call',
  minutesSinceSomebodySpoke: 'Minutes since one of you wrote or spoke to them',
  oneVisitMinutes: 'Minutes that count as one enquiry',
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function sawValue(name: string, value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return name.startsWith('switch') || /(?:Enabled|On)$/.test(name) ? (value ? 'on' : 'off') : value ? 'yes' : 'no'
  if (typeof value === 'string') return INSTANT.test(value) ? formatDateTime(value, timeZone) : value
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map((each) => sawValue(name, each, timeZone)).join(', ')
  if (typeof value !== 'object') return JSON.stringify(value) ?? ''
  return Object.entries(value).map(([part, inner]) => `${formatWords(part).toLowerCase()}: ${sawValue(part, inner, timeZone)}`).join(', ')
}

const isParts = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a rule or the last check before sending saw, as lines for a person. */
export function sawLines(saw: Readonly<Record<string, unknown>>, timeZone: string): { name: string; label: string; value: string }[] {
  return Object.entries(saw).flatMap(([name, value]) => {
    const parts = isParts(value) ? Object.entries(value).map(([part, inner]) => [`${name}.${part}`, inner] as const) : [[name, value] as const]
    return parts.map(([path, each]) => ({ name: path, label: SAW_LABELS[path] ?? formatWords(path), value: sawValue(path, each, timeZone) }))
  })
}
