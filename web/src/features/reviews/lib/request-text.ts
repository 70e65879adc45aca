// Review request states and texts. A new API value fails the type check.
import { MESSAGE_CHANNELS } from '@/domain/message'
import type { Tone } from '@/domain/tone'
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import type { ReviewAsk, ReviewAskCause, ReviewAskOutcome, ReviewAskState, ReviewAskStep } from '../types'

type StatusDisplay = { label: string; tone: Tone; icon: IconName }

export const REQUEST_STATES = {
  waiting: { label: t('Waiting'), tone: 'info', icon: 'clock' },
  asked: { label: t('Asked'), tone: 'accent', icon: 'send' },
  answered: { label: t('Answered'), tone: 'success', icon: 'check-circle' },
  stopped: { label: t('Stopped'), tone: 'neutral', icon: 'close' },
  not_asked: { label: t('Not asked'), tone: 'warning', icon: 'alert' },
} as const satisfies Record<ReviewAskState, StatusDisplay>

export function isRequestState(text: string | null): text is ReviewAskState {
  return text !== null && Object.hasOwn(REQUEST_STATES, text)
}

/** State of a finished job in the monthly report. */
export const REQUEST_OUTCOMES = {
  asked: { label: t('Asked'), tone: 'success', icon: 'check-circle' },
  waiting: { label: t('Waiting'), tone: 'info', icon: 'clock' },
  not_asked: { label: t('Not asked'), tone: 'warning', icon: 'alert' },
} as const satisfies Record<ReviewAskOutcome, StatusDisplay>

export const REQUEST_CAUSES = {
  job_completed: t('After the work'),
  invoice_paid: t('After the payment'),
  by_hand: t('Asked manually'),
} as const satisfies Record<ReviewAskCause, string>

/** The requests of a sequence, by the names that the server keeps for ever. */
const STEP_NAMES: Readonly<Record<string, string>> = {
  review_ask: t('First request'),
  review_3: t('Second request'),
  review_7: t('Last request'),
}

export const getStepName = ({ step }: ReviewAskStep) => STEP_NAMES[step] ?? t('Request')

type ClockContext = { timeZone: string; now: number }

/** `Asked by SMS, Today 3:04 PM`; empty where nothing has left. */
export function describeLastRequest(
  { askedAt, channel }: Pick<ReviewAsk, 'askedAt' | 'channel'>,
  { timeZone, now }: ClockContext,
): string {
  if (!askedAt) return ''
  const time = formatDayTimeInSentence(askedAt, timeZone, now)
  return channel
    ? t('Asked by {channel}, {time}', { channel: MESSAGE_CHANNELS[channel].inSentence, time })
    : t('Asked, {time}', { time })
}

/** What comes next; empty when nothing does, or when the reason says it already. */
export function describeNextRequest(
  { state, plannedAt, steps, reason }: Pick<ReviewAsk, 'state' | 'plannedAt' | 'steps' | 'reason'>,
  { timeZone, now }: ClockContext,
): string {
  if (state === 'waiting' && !plannedAt) return reason ? '' : t('Waits for the payment')
  if (state === 'waiting' && plannedAt)
    return t('Goes out {time}', { time: formatDayTimeInSentence(plannedAt, timeZone, now) })
  if (state !== 'asked') return ''
  const next = steps.find((step) => step.state === 'waiting')
  return next
    ? t('{step} goes out {time}, unless they answer first', {
        step: getStepName(next),
        time: formatDayTimeInSentence(next.dueAt, timeZone, now),
      })
    : t('No further request goes out')
}

/** State of one request of the sequence. */
export function describeStep(
  { state, dueAt, reason, channel, unsent }: ReviewAskStep,
  { timeZone, now }: ClockContext,
): string {
  const time = formatDayTimeInSentence(dueAt, timeZone, now)
  if (state === 'done' && unsent) return unsent.charAt(0).toLowerCase() + unsent.slice(1)
  if (state === 'done')
    return channel
      ? t('sent by {channel}, {time}', { channel: MESSAGE_CHANNELS[channel].inSentence, time })
      : t('sent, {time}', { time })
  if (state === 'waiting') return t('goes out {time}', { time })
  return reason ? t('not sent: {reason}', { reason }) : t('not sent')
}

export const STEP_DISPLAYS = {
  waiting: { tone: 'info', icon: 'clock' },
  done: { tone: 'success', icon: 'check' },
  stopped: { tone: 'neutral', icon: 'close' },
  skipped: { tone: 'neutral', icon: 'close' },
} as const satisfies Record<ReviewAskStep['state'], Omit<StatusDisplay, 'label'>>
