// Review request states and texts. A new API value fails the type check.
import { MESSAGE_CHANNELS } from '@/domain/message'
import type { Tone } from '@/domain/tone'
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import type { IconName } from '@/ui/icon'
import type { ReviewAsk, ReviewAskCause, ReviewAskOutcome, ReviewAskState, ReviewAskStep } from '../types'

type StatusDisplay = { label: string; tone: Tone; icon: IconName }

export const REQUEST_STATES = {
  waiting: { label: 'Waiting', tone: 'info', icon: 'clock' },
  asked: { label: 'Asked', tone: 'accent', icon: 'send' },
  answered: { label: 'Answered', tone: 'success', icon: 'check-circle' },
  stopped: { label: 'Stopped', tone: 'neutral', icon: 'close' },
  not_asked: { label: 'Not asked', tone: 'warning', icon: 'alert' },
} as const satisfies Record<ReviewAskState, StatusDisplay>

export function isRequestState(text: string | null): text is ReviewAskState {
  return text !== null && Object.hasOwn(REQUEST_STATES, text)
}

/** State of a finished job in the monthly report. */
export const REQUEST_OUTCOMES = {
  asked: { label: 'Asked', tone: 'success', icon: 'check-circle' },
  waiting: { label: 'Waiting', tone: 'info', icon: 'clock' },
  not_asked: { label: 'Not asked', tone: 'warning', icon: 'alert' },
} as const satisfies Record<ReviewAskOutcome, StatusDisplay>

export const REQUEST_CAUSES = {
  job_completed: 'After the work',
  invoice_paid: 'After the payment',
  by_hand: 'Asked manually',
} as const satisfies Record<ReviewAskCause, string>

/** The requests of a sequence, by the names that the server keeps for ever. */
const STEP_NAMES: Readonly<Record<string, string>> = {
  review_ask: 'First request',
  review_3: 'Second request',
  review_7: 'Last request',
}

export const getStepName = ({ step }: ReviewAskStep) => STEP_NAMES[step] ?? 'Request'

type ClockContext = { timeZone: string; now: number }

const formatChannel = (channel: ReviewAsk['channel']) => (channel ? ` by ${MESSAGE_CHANNELS[channel].inSentence}` : '')

/** `Asked by SMS, Today 3:04 PM`; empty where nothing has left. */
export function describeLastRequest(
  { askedAt, channel }: Pick<ReviewAsk, 'askedAt' | 'channel'>,
  { timeZone, now }: ClockContext,
): string {
  return askedAt ? `Asked${formatChannel(channel)}, ${formatDayTimeInSentence(askedAt, timeZone, now)}` : ''
}

/** What comes next; empty when nothing does, or when the reason says it already. */
export function describeNextRequest(
  { state, plannedAt, steps, reason }: Pick<ReviewAsk, 'state' | 'plannedAt' | 'steps' | 'reason'>,
  { timeZone, now }: ClockContext,
): string {
  if (state === 'waiting' && !plannedAt) return reason ? '' : 'Waits for the payment'
  if (state === 'waiting' && plannedAt) return `Goes out ${formatDayTimeInSentence(plannedAt, timeZone, now)}`
  if (state !== 'asked') return ''
  const next = steps.find((step) => step.state === 'waiting')
  return next
    ? `${getStepName(next)} goes out ${formatDayTimeInSentence(next.dueAt, timeZone, now)}, unless they answer first`
    : 'No further request goes out'
}

/** State of one request of the sequence. */
export function describeStep(
  { state, dueAt, reason, channel, unsent }: ReviewAskStep,
  { timeZone, now }: ClockContext,
): string {
  const when = formatDayTimeInSentence(dueAt, timeZone, now)
  if (state === 'done' && unsent) return unsent.charAt(0).toLowerCase() + unsent.slice(1)
  if (state === 'done') return `sent${formatChannel(channel)}, ${when}`
  if (state === 'waiting') return `goes out ${when}`
  return reason ? `not sent: ${reason}` : 'not sent'
}

export const STEP_DISPLAYS = {
  waiting: { tone: 'info', icon: 'clock' },
  done: { tone: 'success', icon: 'check' },
  stopped: { tone: 'neutral', icon: 'close' },
  skipped: { tone: 'neutral', icon: 'close' },
} as const satisfies Record<ReviewAskStep['state'], Omit<StatusDisplay, 'label'>>
