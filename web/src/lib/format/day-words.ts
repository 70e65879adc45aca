// A day of the calendar in words, the same in every zone.
import { formatDate } from './date'

/** `2026-11-21` becomes `Nov 21, 2026`. */
export function dayWords(day: string): string {
  return formatDate(`${day}T12:00:00Z`, 'UTC')
}
