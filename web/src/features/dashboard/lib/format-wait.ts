// Waiting time from decimal minutes.
import { t } from '@/lib/i18n'

const HOUR = 60
const DAY = 24 * HOUR
const DECIMAL_BELOW = 10

const oneDecimal = (value: number) => String(Math.round(value * 10) / 10)

export const isUnderOneSecond = (minutes: number) => minutes * 60 < 1

/** `3 s`, `2.5 min`, `45 min`, `3.2 h`, `2 d`; an em dash without answers. */
export function formatWaitMinutes(minutes: number | null | undefined): string {
  if (minutes === null || minutes === undefined) return '–'
  const seconds = minutes * 60
  if (isUnderOneSecond(minutes)) return t('under 1 s')
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`
  if (minutes < DECIMAL_BELOW) return `${oneDecimal(minutes)} min`
  if (Math.round(minutes) < HOUR) return `${Math.round(minutes)} min`
  return minutes < 2 * DAY ? `${oneDecimal(minutes / HOUR)} h` : `${oneDecimal(minutes / DAY)} d`
}
