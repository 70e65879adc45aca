// Calendar day as text, independent of zones.
import { formatDate } from './date'

/** `2026-11-21` becomes `Nov 21, 2026`. */
export function formatCalendarDay(day: string): string {
  return formatDate(`${day}T12:00:00Z`, 'UTC')
}
