// A message's state in the fewest words that are true: the sheet behind them says the rest.
import { MESSAGE_STATUSES } from '@/domain/message'
import { capitalize } from '@/lib/format/words'
import { dayAndTimeWithin } from '@/lib/format/zone-time'
import type { Message } from '../types'

/** What is due later than this is spoken of by its time. */
const SOON_MS = 90_000
/** What is due sooner is as good as on its way. */
const AT_ONCE_MS = 5000

/** What the server says of what waits while nothing is sent. */
const STOPPED = 'sending is stopped right now'

/** `held: it is night there` without the state's own word. */
const reasonIn = (statusText: string) => statusText.replace(/^[^:]*:?\s*/, '')

function words(message: Message, timeZone: string, now: number): string {
  const { status, heldUntil, nextAttemptAt, attempts, statusText } = message
  if (status === 'held' && heldUntil)
    return [`held until ${dayAndTimeWithin(heldUntil, timeZone, now)}`, reasonIn(statusText)].filter(Boolean).join(': ')
  if (status !== 'queued') return statusText
  if (statusText.endsWith(STOPPED)) return statusText
  const wait = nextAttemptAt ? Date.parse(nextAttemptAt) - now : 0
  if (attempts > 0)
    return `tried ${attempts} ${attempts === 1 ? 'time' : 'times'}${nextAttemptAt ? `, next ${dayAndTimeWithin(nextAttemptAt, timeZone, now)}` : ''}`
  if (nextAttemptAt && wait > SOON_MS) return `goes out ${dayAndTimeWithin(nextAttemptAt, timeZone, now)}`
  return wait > AT_ONCE_MS ? 'goes out within a minute' : 'waiting to be sent'
}

/** Tone, icon and words of a message's state. */
export function messageState(message: Message, timeZone: string, now: number) {
  return { ...MESSAGE_STATUSES[message.status], text: capitalize(words(message, timeZone, now)) }
}
