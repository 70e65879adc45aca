import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'

/** What leaves within this time leaves now. */
const IMMEDIATE_MS = 2 * 60_000

/** `now`, else `tomorrow 9:00 AM`, `Mon, Nov 23 9:00 AM`. */
export function formatSendTime(at: string, timeZone: string, now: number): string {
  return Date.parse(at) - now < IMMEDIATE_MS ? t('now') : formatDayTimeInSentence(at, timeZone, now)
}
