// Date spans as text, in calendar days without a zone.
import { createOnce } from '@/lib/format/create-once'
import { formatLocale, t } from '@/lib/i18n'

const createUtcFormat = (shape: Intl.DateTimeFormatOptions) =>
  createOnce(() => new Intl.DateTimeFormat(formatLocale(), { ...shape, timeZone: 'UTC' }))
const monthFormats = {
  short: createUtcFormat({ month: 'short' }),
  long: createUtcFormat({ month: 'long' }),
  whole: createUtcFormat({ month: 'long', year: 'numeric' }),
  day: createUtcFormat({ month: 'short', day: 'numeric' }),
}

const noonUtc = (date: string) => new Date(`${date}T12:00:00Z`)

/** `Nov`, `November` or `November 2026` of a day in it. */
export function formatMonth(date: string, shape: 'short' | 'long' | 'whole'): string {
  return monthFormats[shape]().format(noonUtc(date))
}

const dayOfMonth = (date: string) => monthFormats.day().format(noonUtc(date))

/** `Nov 16 to Nov 22` */
export function formatDateSpan({ from, to }: { from: string; to: string }): string {
  return t('{from} to {to}', { from: dayOfMonth(from), to: dayOfMonth(to) })
}
