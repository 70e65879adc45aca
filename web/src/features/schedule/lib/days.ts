// Calendar days as `2026-11-24`, weeks from Sunday, months in whole weeks.
import { formatLocale } from '@/lib/i18n'
import type { ScheduleView } from '../types'

const DAY_MS = 86_400_000
const WEEK = 7
/** A month touches at most six weeks. */
const MONTH_DAYS = 42

const parseUtcDay = (day: string) => Date.parse(`${day}T00:00:00Z`)
const toDay = (at: number) => new Date(at).toISOString().slice(0, 10)

export const isCalendarDay = (text: string) =>
  /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(parseUtcDay(text)) && toDay(parseUtcDay(text)) === text

export const addDays = (day: string, days: number) => toDay(parseUtcDay(day) + days * DAY_MS)

export const startOfWeek = (day: string) => addDays(day, -new Date(parseUtcDay(day)).getUTCDay())

const startOfMonth = (day: string) => `${day.slice(0, 8)}01`

export const isSameMonth = (one: string, other: string) => one.slice(0, 7) === other.slice(0, 7)

/** The days a view shows: the first one, and how many. */
export function getViewRange(view: ScheduleView, day: string): { from: string; days: number } {
  if (view === 'day') return { from: day, days: 1 }
  return view === 'week'
    ? { from: startOfWeek(day), days: WEEK }
    : { from: startOfWeek(startOfMonth(day)), days: MONTH_DAYS }
}

export const listDays = ({ from, days }: { from: string; days: number }) =>
  Array.from({ length: days }, (_, at) => addDays(from, at))

/** The day one page further or back. */
export function addViewPages(view: ScheduleView, day: string, by: 1 | -1): string {
  if (view !== 'month') return addDays(day, view === 'day' ? by : by * WEEK)
  const first = new Date(parseUtcDay(startOfMonth(day)))
  first.setUTCMonth(first.getUTCMonth() + by)
  return toDay(first.getTime())
}

const createFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(formatLocale(), { timeZone: 'UTC', ...options })
const LONG = createFormat({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' })
const SHORT = createFormat({ weekday: 'short', month: 'short', day: 'numeric' })
const SPAN = createFormat({ month: 'short', day: 'numeric', year: 'numeric' })
const MONTH = createFormat({ month: 'long', year: 'numeric' })
const WEEKDAY = createFormat({ weekday: 'short' })

/** `Tue, Nov 24` */
export const formatShortDay = (day: string) => SHORT.format(parseUtcDay(day))
/** `Tue` */
export const formatWeekdayName = (day: string) => WEEKDAY.format(parseUtcDay(day))
export const getDayNumber = (day: string) => Number(day.slice(8))

/** `Tue, Nov 24, 2026`, `Nov 22 – 28, 2026`, `November 2026` */
export function formatViewTitle(view: ScheduleView, day: string): string {
  if (view === 'day') return LONG.format(parseUtcDay(day))
  if (view === 'month') return MONTH.format(parseUtcDay(day))
  const first = startOfWeek(day)
  return SPAN.formatRange(parseUtcDay(first), parseUtcDay(addDays(first, WEEK - 1)))
}
