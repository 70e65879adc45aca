// When something leaves, as one says it.
import { dayAndTimeWithin } from '@/lib/format/zone-time'

/** What leaves within this time leaves now. */
const NOW_MS = 2 * 60_000

/** `now`, else `tomorrow 9:00 AM`, `Mon, Nov 23 9:00 AM`. */
export function whenWords(at: string, timeZone: string, now: number): string {
  return Date.parse(at) - now < NOW_MS ? 'now' : dayAndTimeWithin(at, timeZone, now)
}
