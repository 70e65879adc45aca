// Days and times on the business's clock.
import { t } from '@/lib/i18n'
import { formatTime, formatWeekday, formatWeekdayOfYear } from './date'

type Parts = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>

/** Cached per zone: creation is costly. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function getClockFormat(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(timeZone, made)
  return made
}

function getParts(timeZone: string, at: number): Parts {
  return Object.fromEntries(
    getClockFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Parts
}

/** In milliseconds. */
function getUtcOffsetMs(timeZone: string, at: number): number {
  const { year, month, day, hour, minute, second } = getParts(timeZone, at)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** Instant of a local time; a time skipped by a clock change counts one hour later. */
export function toInstant(timeZone: string, day: string, time: string): Date {
  const shown = Date.parse(`${day}T${time}:00Z`)
  const guess = shown - getUtcOffsetMs(timeZone, shown)
  const exact = shown - getUtcOffsetMs(timeZone, guess)
  const isThere = exact + getUtcOffsetMs(timeZone, exact) === shown
  return new Date(isThere ? exact : Math.max(guess, exact))
}

const pad = (value: number) => String(value).padStart(2, '0')

/** `2026-11-21`. */
export function getZoneDay(timeZone: string, at: number, daysLater = 0): string {
  const { year, month, day } = getParts(timeZone, at)
  return new Date(Date.UTC(year, month - 1, day + daysLater)).toISOString().slice(0, 10)
}

/** `08:00`, for time inputs. */
export function getZoneTime(timeZone: string, at: number): string {
  const { hour, minute } = getParts(timeZone, at)
  return `${pad(hour)}:${pad(minute)}`
}

const DAY_NAMES = { today: t('Today'), yesterday: t('Yesterday'), tomorrow: t('Tomorrow') } as const

/** `Today`, `Yesterday`, else `Fri, Nov 20`, with the year where it differs. */
export function formatDayName(timeZone: string, at: number, now: number): string {
  const day = getZoneDay(timeZone, at)
  if (day === getZoneDay(timeZone, now)) return DAY_NAMES.today
  if (day === getZoneDay(timeZone, now, -1)) return DAY_NAMES.yesterday
  if (day === getZoneDay(timeZone, now, 1)) return DAY_NAMES.tomorrow
  const isThisYear = day.slice(0, 4) === getZoneDay(timeZone, now).slice(0, 4)
  return isThisYear ? formatWeekday(at, timeZone) : formatWeekdayOfYear(at, timeZone)
}

/** `today 3:04 PM`, for use inside a sentence. */
export function formatDayTimeInSentence(instant: string, timeZone: string, now: number): string {
  const text = formatDayTime(instant, timeZone, now)
  const name = Object.values(DAY_NAMES).find((each) => text.startsWith(each))
  return name === undefined ? text : `${name.toLowerCase()}${text.slice(name.length)}`
}

/** `Today 3:04 PM`, `Tomorrow 8:00 AM`, `Mon, Nov 23 8:00 AM`. */
export function formatDayTime(instant: string, timeZone: string, now: number): string {
  return `${formatDayName(timeZone, Date.parse(instant), now)} ${formatTime(instant, timeZone)}`
}
