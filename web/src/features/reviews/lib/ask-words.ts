// How the asking of somebody stands, in the words of who runs a business. A new state in the API breaks the build here.
import { MESSAGE_CHANNELS } from '@/domain/message'
import type { Tone } from '@/domain/tone'
import { dayAndTimeWithin } from '@/lib/format/zone-time'
import type { IconName } from '@/ui/icon'
import type { Ask, AskCause, AskOutcome, AskState, AskStep } from '../types'

type Look = { label: string; tone: Tone; icon: IconName }

export const ASK_STATES = {
  waiting: { label: 'Waiting', tone: 'info', icon: 'clock' },
  asked: { label: 'Asked', tone: 'accent', icon: 'send' },
  answered: { label: 'Answered', tone: 'success', icon: 'check-circle' },
  stopped: { label: 'Stopped', tone: 'neutral', icon: 'close' },
  not_asked: { label: 'Not asked', tone: 'warning', icon: 'alert' },
} as const satisfies Record<AskState, Look>

export function isAskState(text: string | null): text is AskState {
  return text !== null && Object.hasOwn(ASK_STATES, text)
}

/** How a finished job stands in the report of its month. */
export const OUTCOMES = {
  asked: { label: 'Asked', tone: 'success', icon: 'check-circle' },
  waiting: { label: 'Waiting', tone: 'info', icon: 'clock' },
  not_asked: { label: 'Not asked', tone: 'warning', icon: 'alert' },
} as const satisfies Record<AskOutcome, Look>

export const ASK_CAUSES = {
  job_completed: 'After the work',
  invoice_paid: 'After the payment',
  by_hand: 'Asked by hand',
} as const satisfies Record<AskCause, string>

/** The requests of a sequence, by the names that the server keeps for ever. */
const STEPS: Readonly<Record<string, string>> = {
  review_ask: 'First request',
  review_3: 'Second request',
  review_7: 'Last request',
}

export const stepName = ({ step }: AskStep) => STEPS[step] ?? 'Request'

type Clock = { timeZone: string; now: number }

const byWay = (channel: Ask['channel']) => (channel ? ` by ${MESSAGE_CHANNELS[channel].inSentence}` : '')

/** `Asked by SMS, Today 3:04 PM`; empty where nothing has left. */
export function askedWords({ askedAt, channel }: Pick<Ask, 'askedAt' | 'channel'>, { timeZone, now }: Clock): string {
  return askedAt ? `Asked${byWay(channel)}, ${dayAndTimeWithin(askedAt, timeZone, now)}` : ''
}

/** What comes next; empty when nothing does, or when the reason says it already. */
export function nextWords(
  { state, plannedAt, steps, reason }: Pick<Ask, 'state' | 'plannedAt' | 'steps' | 'reason'>,
  { timeZone, now }: Clock,
): string {
  if (state === 'waiting' && !plannedAt) return reason ? '' : 'Waits for the payment'
  if (state === 'waiting' && plannedAt) return `Goes out ${dayAndTimeWithin(plannedAt, timeZone, now)}`
  if (state !== 'asked') return ''
  const next = steps.find((step) => step.state === 'waiting')
  return next
    ? `${stepName(next)} goes out ${dayAndTimeWithin(next.dueAt, timeZone, now)}, unless they answer first`
    : 'No further request goes out'
}

/** How one request of the sequence stands. */
export function stepWords({ state, dueAt, reason, channel, unsent }: AskStep, { timeZone, now }: Clock): string {
  const when = dayAndTimeWithin(dueAt, timeZone, now)
  if (state === 'done' && unsent) return unsent.charAt(0).toLowerCase() + unsent.slice(1)
  if (state === 'done') return `sent${byWay(channel)}, ${when}`
  if (state === 'waiting') return `goes out ${when}`
  return reason ? `not sent: ${reason}` : 'not sent'
}

export const STEP_LOOKS = {
  waiting: { tone: 'info', icon: 'clock' },
  done: { tone: 'success', icon: 'check' },
  stopped: { tone: 'neutral', icon: 'close' },
  skipped: { tone: 'neutral', icon: 'close' },
} as const satisfies Record<AskStep['state'], Omit<Look, 'label'>>
