// Waiting time of a customer, with a tone.
import type { Tone } from '@/domain/tone'
import { t } from '@/lib/i18n'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `4 min`, `2 h 10 min`, `3 d`, with the tone of the wait: under five minutes, under an hour, longer. */
export function describeWait(ms: number): { text: string; tone: Tone } {
  const tone = ms < 5 * MINUTE ? 'success' : ms < HOUR ? 'warning' : 'error'
  if (ms < MINUTE) return { text: t('under 1 min'), tone }
  if (ms < HOUR) return { text: `${Math.floor(ms / MINUTE)} min`, tone }
  if (ms < DAY) {
    const minutes = Math.floor((ms % HOUR) / MINUTE)
    return { text: `${Math.floor(ms / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`, tone }
  }
  return { text: `${Math.floor(ms / DAY)} d`, tone }
}
