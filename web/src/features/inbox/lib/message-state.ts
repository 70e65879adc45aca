// A message's state in the fewest words that are true: the sheet behind them says the rest.
import { MESSAGE_STATUSES } from '@/domain/message'
import { dayName } from './zone-time'
import { formatTime } from '@/lib/format/date'
import type { Message } from '../types'

/** What is due later than this is spoken of by its time. */
const SOON_MS = 90_000

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `Today 3:04 PM`, `Tomorrow 8:00 AM`, `Mon, Nov 23 8:00 AM`. */
export function dayAndTime(instant: string, timeZone: string, now: number): string {
  return `${dayName(timeZone, Date.parse(instant), now)} ${formatTime(instant, timeZone)}`
}

function words(message: Message, timeZone: string, now: number): string {
  const { status, heldUntil, nextAttemptAt, attempts, statusText } = message
  if (status === 'held' && heldUntil) return `held until ${dayAndTime(heldUntil, timeZone, now)}`
  if (status === 'queued' && nextAttemptAt && Date.parse(nextAttemptAt) - now > SOON_MS) {
    return attempts === 0 ? `goes out ${dayAndTime(nextAttemptAt, timeZone, now)}` : `tried ${attempts} ${attempts === 1 ? 'time' : 'times'}, next ${dayAndTime(nextAttemptAt, timeZone, now)}`
  }
  return status === 'queued' && attempts === 0 ? 'queued' : statusText
}

/** Tone, icon and words of a message's state. */
export function messageState(message: Message, timeZone: string, now: number) {
  return { ...MESSAGE_STATUSES[message.status], text: capital(words(message, timeZone, now)) }
}
