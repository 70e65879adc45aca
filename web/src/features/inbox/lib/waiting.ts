// How long a customer has waited for a person's answer, and how bad that is.
import type { Tone } from '@/domain/tone'
import type { Thread } from '../types'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Since when this customer waits; null where the last word is ours. */
export function waitingSince({ lastKind, lastAt, unread, isClosed }: Pick<Thread, 'lastKind' | 'lastAt' | 'unread' | 'isClosed'>): number | null {
  if (isClosed) return null
  // An answered call leaves nothing unread; a missed one does until somebody has looked.
  const isTheirs = lastKind === 'in' || (lastKind === 'call' && unread > 0)
  return isTheirs ? Date.parse(lastAt) : null
}

/** `4 min`, `2 h 10 min`, `3 d`, with the tone of the wait: under five minutes, under an hour, longer. */
export function waitText(ms: number): { text: string; tone: Tone } {
  const tone = ms < 5 * MINUTE ? 'success' : ms < HOUR ? 'warning' : 'error'
  if (ms < MINUTE) return { text: 'under 1 min', tone }
  if (ms < HOUR) return { text: `${Math.floor(ms / MINUTE)} min`, tone }
  if (ms < DAY) {
    const minutes = Math.floor((ms % HOUR) / MINUTE)
    return { text: `${Math.floor(ms / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`, tone }
  }
  return { text: `${Math.floor(ms / DAY)} d`, tone }
}
