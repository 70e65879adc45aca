// Closed sets of a message: label, tone, icon. A new API value fails the type check.
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { formatIdentifier } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'
import { LANGUAGES } from './customer'
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

/** Words before our last message, where it has not left: those of the conversation's bubble. */
const UNSENT_LABELS: Partial<Record<MessageStatus, string>> = {
  queued: t('Waiting to send'),
  sending: t('Being sent'),
  filed: t('Saved as a file'),
  held: t('Held'),
  not_sent: t('Not sent'),
  failed: t('Failed'),
  unknown: t("We can't tell if this was delivered"),
}

/** State of our last message as label, tone and icon; undefined where it has left, or is not ours. */
export function describeUnsent(status: MessageStatus | null | undefined) {
  const label = status ? UNSENT_LABELS[status] : undefined
  return status && label ? { label, ...MESSAGE_STATUSES[status] } : undefined
}

export const MESSAGE_KINDS = {
  auto_reply: t('Automatic reply'),
  owner_notice: t('Notice to you'),
  account_notice: t('Notice to the business'),
  missed_call: t('Text after a missed call'),
  nudge: t('Reminder'),
  text_reply: t('Automatic answer'),
  help_reply: t('Answer to HELP'),
  stop_confirmation: t('Answer to STOP'),
  manual: t('Written by your team'),
  incoming: t('From the customer'),
  test: t('Test'),
  digest: t('Summary to you'),
  estimate: t('Estimate'),
  estimate_follow_up: t('Estimate reminder'),
  change_order: t('Change order'),
  change_order_follow_up: t('Change order reminder'),
  signed: t('Signed copy'),
  visit: t('About the visit'),
  on_the_way: t('Day of the visit'),
  invoice: t('Invoice'),
  dunning: t('Payment reminder'),
  receipt: t('Receipt'),
  pulse: t('KPI report'),
  review_request: t('Review request'),
} as const satisfies Record<MessageKind, string>

export const MESSAGE_CHANNELS = {
  sms: { label: 'SMS', inSentence: 'SMS', icon: 'message' },
  email: { label: t('Email'), inSentence: t('email'), icon: 'mail' },
} as const satisfies Record<MessageChannel, { label: string; inSentence: string; icon: string }>

/** Parts of the lead page that other features fill. */
export type LeadPageSlot = 'conversation' | 'jobs' | 'invoices'

/** Props of the lead page's slots. */
export type ConversationRouteProps = { slot: LeadPageSlot; customerId: string; leadId: string; leadName: string }

/** Evidence names in display order. */
const EVIDENCE_LABELS: Readonly<Record<string, string>> = {
  clock: t('Time of the decision'),
  switchOn: t('Automation switch'),
  switchAutomatedCommunications: t('Switch “Automated communications”'),
  switchLeadIntake: t('Switch “Lead intake”'),
  switchJobTracking: t('Switch “Job tracking”'),
  switchReviewCollection: t('Switch “Review collection”'),
  templateEnabled: t('This template'),
  nudgeOn: t('Reminder'),
  optOut: t('Asked to stop'),
  optedOut: t('Asked to stop'),
  smsConsent: t('Agreed to texts'),
  blocked: t('Blocked'),
  staff: t('Staff or relative'),
  landline: t('A landline'),
  heldForAPerson: t('Held for a person to look at'),
  hasAddress: t('Number or address known'),
  emergency: t('Emergency words'),
  class: t('Legal category'),
  hoursFor: t('Texting hours apply for'),
  hours: t('Business hours'),
  'hours.rule': t('Hours in which a text may arrive'),
  'hours.zones': t('Time zones of the number'),
  'hours.states': t('States of the number'),
  'hours.foundBy': t('Read from'),
  'hours.source': t('Taken from'),
  minutesSinceSomebodySpoke: t('Minutes since one of you wrote or spoke to them'),
  minutesSinceLastAutomaticText: t('Minutes since the last automatic text'),
  minutesSinceLastMissedCallText: t('Minutes since the last text after a missed call'),
  oneVisitMinutes: t('Minutes that count as one request'),
  textsToday: t('Automatic texts today'),
  dailyTextBudget: t('Most automatic texts a day'),
  textsToNumberToday: t('Automatic texts to this number today'),
  textsPerNumber: t('Most a day to a number that never wrote'),
  emailsToAddressToday: t('Automatic emails to this address today'),
  emailsToAddress: t('Daily limit for an unconfirmed address'),
  bookingTextsToday: t('Texts today about visits the customer may not have booked'),
  bookingTexts: t('Most of these a day'),
  bookingTextsToNumberToday: t('Of these to this number today'),
  bookingTextsToNumber: t('Most of these a day to one number'),
  numbersInExchange: t('Other new numbers like it within an hour'),
  numbersPerExchange: t('Most new numbers like it within an hour'),
  brake: t('Stopped by the limit on'),
  recipients: t('Saved recipients'),
}
const EVIDENCE_ORDER = Object.keys(EVIDENCE_LABELS)
/** Legal message classes. */
const MESSAGE_CLASS_LABELS: Readonly<Record<string, string>> = {
  conversational: t('an answer to what they asked'),
  informational: t('news of their own request or job'),
  promotional: t('an offer, or a review request'),
} satisfies Record<Schema['MessageClass'], string>
const LANGUAGE_LABELS: Readonly<Record<string, string>> = LANGUAGES
const CLASS_NAMES = new Set(['class', 'hoursFor'])
const STAFF_CLASS_LABEL = t('an alert to your own people')

const STAFF_KINDS: ReadonlySet<MessageKind> = new Set(['owner_notice', 'account_notice', 'digest', 'pulse'])

/** Whether it goes to the business's own people. */
export const isStaffMessage = (kind: MessageKind) => STAFF_KINDS.has(kind)

/** Rule of alerts to the business's own people. */
const STAFF_RULE = 'owner_notice'

/** Channel of a decision, and for whom: "Alert to you by email". */
export function describeDecisionChannel({ channel, rule }: Pick<Schema['Decision'], 'channel' | 'rule'>) {
  if (rule === STAFF_RULE)
    return channel
      ? t('Alert to you by {channel}', { channel: MESSAGE_CHANNELS[channel].inSentence })
      : t('Alert to you')
  return channel ? MESSAGE_CHANNELS[channel].label : undefined
}

/** Names whose absence means "no". */
const EMPTY_MEANS_NO = new Set(['optOut', 'optedOut'])

const rank = (name: string) => (EVIDENCE_ORDER.includes(name) ? EVIDENCE_ORDER.indexOf(name) : EVIDENCE_ORDER.length)

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function formatEvidenceFlag(name: string, value: boolean): string {
  const isSwitch = name.startsWith('switch') || /(?:Enabled|On)$/.test(name)
  if (isSwitch) return value ? t('on') : t('off')
  return value ? t('yes') : t('no')
}

function formatEvidenceValue(name: string, value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === '') return EMPTY_MEANS_NO.has(name) ? t('no') : t('nothing')
  if (typeof value === 'boolean') return formatEvidenceFlag(name, value)
  if (typeof value === 'string' && name === 'language') return LANGUAGE_LABELS[value] ?? value
  if (typeof value === 'string' && CLASS_NAMES.has(name)) return MESSAGE_CLASS_LABELS[value] ?? value
  if (typeof value === 'string') return INSTANT.test(value) ? formatDateTime(value, timeZone) : value
  if (Array.isArray(value))
    return value.length === 0 ? t('nothing') : value.map((each) => formatEvidenceValue(name, each, timeZone)).join(', ')
  if (typeof value !== 'object') return JSON.stringify(value) ?? ''
  return Object.entries(value)
    .map(([part, inner]) => `${formatIdentifier(part).toLowerCase()}: ${formatEvidenceValue(part, inner, timeZone)}`)
    .join(', ')
}

const isParts = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Evidence of a decision as display lines; `forStaff` where the message goes to the business's own people. */
export function evidenceLines(
  evidence: Readonly<Record<string, unknown>>,
  timeZone: string,
  forStaff = false,
): { name: string; label: string; value: string }[] {
  const flat = Object.entries(evidence).flatMap(([name, value]) =>
    isParts(value)
      ? Object.entries(value).map(([part, inner]) => [`${name}.${part}`, inner] as const)
      : [[name, value] as const],
  )
  return flat
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => ({
      name,
      label: EVIDENCE_LABELS[name] ?? formatIdentifier(name),
      value: forStaff && CLASS_NAMES.has(name) ? STAFF_CLASS_LABEL : formatEvidenceValue(name, value, timeZone),
    }))
}
