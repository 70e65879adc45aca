// Closed sets of a message: label, tone, icon. A new API value fails the type check.
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { formatIdentifier } from '@/lib/format/identifier'
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
  queued: 'Waiting to send',
  sending: 'Being sent',
  filed: 'Saved as a file',
  held: 'Held',
  not_sent: 'Not sent',
  failed: 'Failed',
  unknown: "We can't tell if this was delivered",
}

/** State of our last message as label, tone and icon; undefined where it has left, or is not ours. */
export function describeUnsent(status: MessageStatus | null | undefined) {
  const label = status ? UNSENT_LABELS[status] : undefined
  return status && label ? { label, ...MESSAGE_STATUSES[status] } : undefined
}

export const MESSAGE_KINDS = {
  auto_reply: 'Automatic reply',
  owner_notice: 'Notice to you',
  account_notice: 'Notice to the business',
  missed_call: 'Text after a missed call',
  nudge: 'Reminder',
  text_reply: 'Automatic answer',
  help_reply: 'Answer to HELP',
  stop_confirmation: 'Answer to STOP',
  manual: 'Written by your team',
  incoming: 'From the customer',
  test: 'Test',
  digest: 'Summary to you',
  estimate: 'Estimate',
  estimate_follow_up: 'Estimate reminder',
  change_order: 'Change order',
  change_order_follow_up: 'Change order reminder',
  signed: 'Signed copy',
  visit: 'About the visit',
  on_the_way: 'Day of the visit',
  invoice: 'Invoice',
  dunning: 'Payment reminder',
  receipt: 'Receipt',
  pulse: 'KPI report',
  review_request: 'Review request',
} as const satisfies Record<MessageKind, string>

export const MESSAGE_CHANNELS = {
  sms: { label: 'SMS', inSentence: 'SMS', icon: 'message' },
  email: { label: 'Email', inSentence: 'email', icon: 'mail' },
} as const satisfies Record<MessageChannel, { label: string; inSentence: string; icon: string }>

/** Parts of the lead page that other features fill. */
export type LeadPageSlot = 'conversation' | 'jobs' | 'invoices'

/** Props of the lead page's slots. */
export type ConversationRouteProps = { slot: LeadPageSlot; customerId: string; leadId: string; leadName: string }

/** Evidence names in display order. */
const EVIDENCE_LABELS: Readonly<Record<string, string>> = {
  clock: 'Time of the decision',
  switchOn: 'Automation switch',
  switchAutomatedCommunications: 'Switch “Automated communications”',
  switchLeadIntake: 'Switch “Lead intake”',
  switchJobTracking: 'Switch “Job tracking”',
  switchReviewCollection: 'Switch “Review collection”',
  templateEnabled: 'This template',
  nudgeOn: 'Reminder',
  optOut: 'Asked to stop',
  optedOut: 'Asked to stop',
  smsConsent: 'Agreed to texts',
  blocked: 'Blocked',
  staff: 'Staff or relative',
  landline: 'A landline',
  heldForAPerson: 'Held for a person to look at',
  hasAddress: 'Number or address known',
  emergency: 'Emergency words',
  class: 'Legal category',
  hoursFor: 'Texting hours apply for',
  hours: 'Business hours',
  'hours.rule': 'Hours in which a text may arrive',
  'hours.zones': 'Time zones of the number',
  'hours.states': 'States of the number',
  'hours.foundBy': 'Read from',
  'hours.source': 'Taken from',
  minutesSinceSomebodySpoke: 'Minutes since one of you wrote or spoke to them',
  minutesSinceLastAutomaticText: 'Minutes since the last automatic text',
  minutesSinceLastMissedCallText: 'Minutes since the last text after a missed call',
  oneVisitMinutes: 'Minutes that count as one request',
  textsToday: 'Automatic texts today',
  dailyTextBudget: 'Most automatic texts a day',
  textsToNumberToday: 'Automatic texts to this number today',
  textsPerNumber: 'Most a day to a number that never wrote',
  emailsToAddressToday: 'Automatic emails to this address today',
  emailsToAddress: 'Daily limit for an unconfirmed address',
  bookingTextsToday: 'Texts today about visits the customer may not have booked',
  bookingTexts: 'Most of these a day',
  bookingTextsToNumberToday: 'Of these to this number today',
  bookingTextsToNumber: 'Most of these a day to one number',
  numbersInExchange: 'Other new numbers like it within an hour',
  numbersPerExchange: 'Most new numbers like it within an hour',
  brake: 'Stopped by the limit on',
  recipients: 'Saved recipients',
}
const EVIDENCE_ORDER = Object.keys(EVIDENCE_LABELS)
/** Legal message classes. */
const MESSAGE_CLASS_LABELS: Readonly<Record<string, string>> = {
  conversational: 'an answer to what they asked',
  informational: 'news of their own request or job',
  promotional: 'an offer, or a review request',
} satisfies Record<Schema['MessageClass'], string>
const LANGUAGE_LABELS: Readonly<Record<string, string>> = LANGUAGES
const CLASS_NAMES = new Set(['class', 'hoursFor'])
const STAFF_CLASS_LABEL = 'an alert to your own people'

const STAFF_KINDS: ReadonlySet<MessageKind> = new Set(['owner_notice', 'account_notice', 'digest', 'pulse'])

/** Whether it goes to the business's own people. */
export const isStaffMessage = (kind: MessageKind) => STAFF_KINDS.has(kind)

/** Rule of alerts to the business's own people. */
const STAFF_RULE = 'owner_notice'

/** Channel of a decision, and for whom: "Alert to you by email". */
export function describeDecisionChannel({ channel, rule }: Pick<Schema['Decision'], 'channel' | 'rule'>) {
  if (rule === STAFF_RULE) return channel ? `Alert to you by ${MESSAGE_CHANNELS[channel].inSentence}` : 'Alert to you'
  return channel ? MESSAGE_CHANNELS[channel].label : undefined
}

/** Names whose absence means "no". */
const EMPTY_MEANS_NO = new Set(['optOut', 'optedOut'])

const rank = (name: string) => (EVIDENCE_ORDER.includes(name) ? EVIDENCE_ORDER.indexOf(name) : EVIDENCE_ORDER.length)

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function formatEvidenceValue(name: string, value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === '') return EMPTY_MEANS_NO.has(name) ? 'no' : 'nothing'
  if (typeof value === 'boolean')
    return name.startsWith('switch') || /(?:Enabled|On)$/.test(name) ? (value ? 'on' : 'off') : value ? 'yes' : 'no'
  if (typeof value === 'string' && name === 'language') return LANGUAGE_LABELS[value] ?? value
  if (typeof value === 'string' && CLASS_NAMES.has(name)) return MESSAGE_CLASS_LABELS[value] ?? value
  if (typeof value === 'string') return INSTANT.test(value) ? formatDateTime(value, timeZone) : value
  if (Array.isArray(value))
    return value.length === 0 ? 'nothing' : value.map((each) => formatEvidenceValue(name, each, timeZone)).join(', ')
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
