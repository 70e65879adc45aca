// Days as the schedule counts them: `2026-11-24`, weeks from Sunday, a month in whole weeks.
import type { View } from '../types'

const DAY_MS = 86_400_000
const WEEK = 7
/** A month touches at most six weeks. */
const MONTH_DAYS = 42

const utc = (day: string) => Date.parse(`${day}T00:00:00Z`)
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

export const isDay = (text: string) =>
  /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(utc(text)) && dayOf(utc(text)) === text

export const addDays = (day: string, days: number) => dayOf(utc(day) + days * DAY_MS)

export const startOfWeek = (day: string) => addDays(day, -new Date(utc(day)).getUTCDay())

const startOfMonth = (day: string) => `${day.slice(0, 8)}01`

export const isSameMonth = (one: string, other: string) => one.slice(0, 7) === other.slice(0, 7)

/** The days a view shows: the first one, and how many. */
export function rangeOf(view: View, day: string): { from: string; days: number } {
  if (view === 'day') return { from: day, days: 1 }
  return view === 'week'
    ? { from: startOfWeek(day), days: WEEK }
    : { from: startOfWeek(startOfMonth(day)), days: MONTH_DAYS }
}

export const daysOf = ({ from, days }: { from: string; days: number }) =>
  Array.from({ length: days }, (_, at) => addDays(from, at))

/** The day one page further or back. */
export function turn(view: View, day: string, by: 1 | -1): string {
  if (view !== 'month') return addDays(day, view === 'day' ? by : by * WEEK)
  const first = new Date(utc(startOfMonth(day)))
  first.setUTCMonth(first.getUTCMonth() + by)
  return dayOf(first.getTime())
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options })
const LONG = format({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' })
const SHORT = format({ weekday: 'short', month: 'short', day: 'numeric' })
const SPAN = format({ month: 'short', day: 'numeric', year: 'numeric' })
const MONTH = format({ month: 'long', year: 'numeric' })
const WEEKDAY = format({ weekday: 'short' })

/** `Tue, Nov 24` */
export const shortDay = (day: string) => SHORT.format(utc(day))
/** `Tue` */
export const weekday = (day: string) => WEEKDAY.format(utc(day))
export const dayNumber = (day: string) => Number(day.slice(8))

/** `Tue, Nov 24, 2026`, `Nov 22 – 28, 2026`, `November 2026` */
export function titleOf(view: View, day: string): string {
  if (view === 'day') return LONG.format(utc(day))
  if (view === 'month') return MONTH.format(utc(day))
  const first = startOfWeek(day)
  return SPAN.formatRange(utc(first), utc(addDays(first, WEEK - 1)))
}
