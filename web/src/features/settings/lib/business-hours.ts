// Formatting and editing of business hours.
import { formatLocale, t } from '@/lib/i18n'
import type { ClosedDate, BusinessHours, OpenSpan, Week, Weekday } from '../types'

export const WEEKDAY_OPTIONS = [
  { day: 'mon', label: t('Monday') },
  { day: 'tue', label: t('Tuesday') },
  { day: 'wed', label: t('Wednesday') },
  { day: 'thu', label: t('Thursday') },
  { day: 'fri', label: t('Friday') },
  { day: 'sat', label: t('Saturday') },
  { day: 'sun', label: t('Sunday') },
] as const satisfies readonly { day: Weekday; label: string }[]

const WORKING_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const

export const MAX_SPANS = 4
export const DEFAULT_SPAN: OpenSpan = { opens: '08:00', closes: '17:00' }
/** After an opening that is there already: the evening. */
const EVENING_SPAN: OpenSpan = { opens: '18:00', closes: '21:00' }

/** `8:00 AM`; a dash for incomplete input. */
export function formatTimeOfDay(time: string): string {
  const [hour = Number.NaN, minute = Number.NaN] = time.split(':').map(Number)
  if (time === '' || Number.isNaN(hour) || Number.isNaN(minute)) return '–'
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`
}

/** Closing at or before the opening time means on the next day. */
export function endsNextDay({ opens, closes }: OpenSpan): boolean {
  return closes !== '' && opens !== '' && closes <= opens
}

/** `9:00 PM to 2:00 AM the next morning` */
export function formatOpenSpan(span: OpenSpan): string {
  const { opens, closes } = span
  if (opens === '00:00' && closes === '00:00') return t('Open all day and night')
  const times = { opens: formatTimeOfDay(opens), closes: formatTimeOfDay(closes) }
  if (!endsNextDay(span)) return t('{opens} to {closes}', times)
  if (closes === '00:00') return t('{opens} to midnight', { opens: times.opens })
  return closes < '12:00'
    ? t('{opens} to {closes} the next morning', times)
    : t('{opens} to {closes} the next day', times)
}

export function formatOpenSpans(spans: readonly OpenSpan[]): string {
  if (spans.length === 0) return t('Closed')
  return spans.map(formatOpenSpan).reduce((earlier, later) => t('{earlier}, and {later}', { earlier, later }))
}

/** The changed days and dates: "Mon: 8:00 AM to 5:00 PM". */
export function describeHoursChange(before: BusinessHours, after: BusinessHours): string {
  const days = WEEKDAY_OPTIONS.filter(({ day }) => JSON.stringify(before.week[day]) !== JSON.stringify(after.week[day]))
  const parts = days.map(({ day, label }) => `${label.slice(0, 3)}: ${formatOpenSpans(after.week[day])}`)
  if (JSON.stringify(before.closedDates) !== JSON.stringify(after.closedDates)) parts.push(t('Closed dates'))
  return t('Hours changed. {changes}', { changes: parts.join('. ') })
}

function withDay(hours: BusinessHours, day: Weekday, spans: OpenSpan[]): BusinessHours {
  return { ...hours, week: { ...hours.week, [day]: spans } }
}

export function addSpan(hours: BusinessHours, day: Weekday): BusinessHours {
  const spans = hours.week[day]
  return withDay(hours, day, [...spans, spans.length === 0 ? DEFAULT_SPAN : EVENING_SPAN])
}

export function changeSpan(hours: BusinessHours, day: Weekday, at: number, change: Partial<OpenSpan>): BusinessHours {
  return withDay(
    hours,
    day,
    hours.week[day].map((span, index) => (index === at ? { ...span, ...change } : span)),
  )
}

export function removeSpan(hours: BusinessHours, day: Weekday, at: number): BusinessHours {
  return withDay(
    hours,
    day,
    hours.week[day].filter((_span, index) => index !== at),
  )
}

/** Monday to Friday as this day is. */
export function copyToWeekdays(hours: BusinessHours, from: Weekday): BusinessHours {
  const copies = Object.fromEntries(
    WORKING_DAYS.map((day) => [day, hours.week[from].map((span) => ({ ...span }))]),
  ) as Partial<Week>
  return { ...hours, week: { ...hours.week, ...copies } }
}

/** Sorted by date; the same date once, with the newer name. */
export function addClosedDate(hours: BusinessHours, closed: ClosedDate): BusinessHours {
  const others = hours.closedDates.filter(({ date }) => date !== closed.date)
  return { ...hours, closedDates: [...others, closed].toSorted((a, b) => a.date.localeCompare(b.date)) }
}

export function removeClosedDate(hours: BusinessHours, date: string): BusinessHours {
  return { ...hours, closedDates: hours.closedDates.filter((closed) => closed.date !== date) }
}

const longDate = new Intl.DateTimeFormat(formatLocale(), {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A calendar date has no zone: it is read and written in one. */
export function formatClosedDate(date: string): string {
  const instant = new Date(`${date}T00:00:00Z`)
  return Number.isNaN(instant.getTime()) ? date : longDate.format(instant)
}
