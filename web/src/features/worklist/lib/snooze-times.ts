// Times to come back at, on the business's clock.
import { getZoneDay, toInstant } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'

const HOUR_MS = 3_600_000
const MORNING = '08:00'
const MONDAY = 1
const WEEK = 7
export const MAX_SNOOZE_MS = 60 * 24 * HOUR_MS

const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

export type SnoozeTime = { label: string; until: string }

/** One hour, tomorrow morning, the next Monday morning where that is another day. */
export function getSnoozeTimes(timeZone: string, now: number): SnoozeTime[] {
  const morning = (daysLater: number) =>
    toInstant(timeZone, getZoneDay(timeZone, now, daysLater), MORNING).toISOString()
  const daysToMonday = (MONDAY - weekdayOf(getZoneDay(timeZone, now)) + WEEK) % WEEK || WEEK
  return [
    { label: t('1 hour'), until: new Date(now + HOUR_MS).toISOString() },
    { label: t('Tomorrow 8:00 AM'), until: morning(1) },
    ...(daysToMonday === 1 ? [] : [{ label: t('Monday 8:00 AM'), until: morning(daysToMonday) }]),
  ]
}
