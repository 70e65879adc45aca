// Instants as text in the organization's time zone. Intl objects are cached per zone and format.
import { formatLocale, t } from '@/lib/i18n'
import { createOnce } from './create-once'

type DateFormatName = 'date' | 'dateTime' | 'time' | 'clock' | 'day' | 'weekday' | 'weekdayOfYear'

const FORMAT_OPTIONS = {
  date: { year: 'numeric', month: 'short', day: 'numeric' },
  dateTime: { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  time: { hour: 'numeric', minute: '2-digit' },
  clock: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  weekday: { weekday: 'short', month: 'short', day: 'numeric' },
  weekdayOfYear: { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' },
  day: { year: 'numeric', month: '2-digit', day: '2-digit' },
} as const satisfies Record<DateFormatName, Intl.DateTimeFormatOptions>

const cache = new Map<string, Intl.DateTimeFormat>()

function formatter(shape: DateFormatName, timeZone: string | undefined): Intl.DateTimeFormat {
  const key = `${shape} ${timeZone ?? ''}`
  const known = cache.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(formatLocale(), { ...FORMAT_OPTIONS[shape], ...(timeZone ? { timeZone } : {}) })
  cache.set(key, made)
  return made
}

function format(shape: DateFormatName, instant: string | number | Date, timeZone?: string): string {
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? '' : formatter(shape, timeZone).format(date)
}

/** `Nov 21, 2026`; empty for an invalid instant. */
export function formatDate(instant: string | number | Date, timeZone?: string): string {
  return format('date', instant, timeZone)
}

/** `Nov 21, 2026, 3:04 PM` */
export function formatDateTime(instant: string | number | Date, timeZone?: string): string {
  return format('dateTime', instant, timeZone)
}

/** `3:04 PM` */
export function formatTime(instant: string | number | Date, timeZone?: string): string {
  return format('time', instant, timeZone)
}

/** `3:04:07 PM` */
export function formatClock(instant: string | number | Date, timeZone?: string): string {
  return format('clock', instant, timeZone)
}

/** `Sat, Nov 21` */
export function formatWeekday(instant: string | number | Date, timeZone?: string): string {
  return format('weekday', instant, timeZone)
}

/** `Sat, Nov 21, 2026` */
export function formatWeekdayOfYear(instant: string | number | Date, timeZone?: string): string {
  return format('weekdayOfYear', instant, timeZone)
}

const STEPS = [
  { unit: 'second', seconds: 1, upTo: 60 },
  { unit: 'minute', seconds: 60, upTo: 3600 },
  { unit: 'hour', seconds: 3600, upTo: 86_400 },
  { unit: 'day', seconds: 86_400, upTo: 7 * 86_400 },
] as const

const relative = createOnce(() => new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'auto', style: 'short' }))

/** `just now`, `5 min. ago`, `yesterday`; the date after a week. */
export function formatRelative(instant: string | number | Date, now: number, timeZone?: string): string {
  const seconds = (new Date(instant).getTime() - now) / 1000
  if (Number.isNaN(seconds)) return ''
  if (Math.abs(seconds) < 10) return t('just now')
  const step = STEPS.find(({ upTo }) => Math.abs(seconds) < upTo)
  return step ? relative().format(Math.trunc(seconds / step.seconds), step.unit) : formatDate(instant, timeZone)
}

/** `as of 10:42 AM` today, with the date on other days. */
export function formatAsOf(instant: number, timeZone?: string, now: number = Date.now()): string {
  const sameDay = format('day', instant, timeZone) === format('day', now, timeZone)
  return sameDay
    ? t('as of {time}', { time: formatTime(instant, timeZone) })
    : t('as of {dateTime}', { dateTime: formatDateTime(instant, timeZone) })
}
