// Day range of the URL: both days or none.
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { t } from '@/lib/i18n'
import { ALL_DAYS, type ReviewDays } from '../queries'

const DAY = /^\d{4}-\d{2}-\d{2}$/

const isDay = (text: string | null): text is string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text))

export function parseReviewDays(params: URLSearchParams): ReviewDays {
  const [from, to] = [params.get('from'), params.get('to')]
  return isDay(from) && isDay(to) ? { from, to } : ALL_DAYS
}

/** `Sep 11, 2026 to Sep 17, 2026`; nothing for all days. */
export function formatReviewDays({ from, to }: ReviewDays): string | undefined {
  if (from === '') return undefined
  return from === to
    ? formatCalendarDay(from)
    : t('{from} to {to}', { from: formatCalendarDay(from), to: formatCalendarDay(to) })
}
