// Days and times of the business's own clock, whatever zone this device is in.
import { formatTime, formatWeekday, formatWeekdayOfYear } from './date'

type Parts = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>

/** Dear to make and asked for by every line of a list: one per zone. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
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

function partsIn(timeZone: string, at: number): Parts {
  return Object.fromEntries(
    clockOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Parts
}

/** How far the zone's clock is ahead of UTC at that instant, in milliseconds. */
function aheadOf(timeZone: string, at: number): number {
  const { year, month, day, hour, minute, second } = partsIn(timeZone, at)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** The instant at which that clock shows `2026-11-21` and `08:00`; a time that a clock change leaves out counts as the one an hour later. */
export function instantIn(timeZone: string, day: string, time: string): Date {
  const shown = Date.parse(`${day}T${time}:00Z`)
  const guess = shown - aheadOf(timeZone, shown)
  const exact = shown - aheadOf(timeZone, guess)
  const isThere = exact + aheadOf(timeZone, exact) === shown
  return new Date(isThere ? exact : Math.max(guess, exact))
}

const pad = (value: number) => String(value).padStart(2, '0')

/** `2026-11-21`, some days later. */
export function dayIn(timeZone: string, at: number, daysLater = 0): string {
  const { year, month, day } = partsIn(timeZone, at)
  return new Date(Date.UTC(year, month - 1, day + daysLater)).toISOString().slice(0, 10)
}

/** `08:00`, as a field for times wants it. */
export function timeIn(timeZone: string, at: number): string {
  const { hour, minute } = partsIn(timeZone, at)
  return `${pad(hour)}:${pad(minute)}`
}

/** `Today`, `Yesterday`, else `Fri, Nov 20`, with the year where it is another one. */
export function dayName(timeZone: string, at: number, now: number): string {
  const day = dayIn(timeZone, at)
  if (day === dayIn(timeZone, now)) return 'Today'
  if (day === dayIn(timeZone, now, -1)) return 'Yesterday'
  if (day === dayIn(timeZone, now, 1)) return 'Tomorrow'
  const isThisYear = day.slice(0, 4) === dayIn(timeZone, now).slice(0, 4)
  return isThisYear ? formatWeekday(at, timeZone) : formatWeekdayOfYear(at, timeZone)
}

/** The same within a sentence: `today 3:04 PM`. */
export function dayAndTimeWithin(instant: string, timeZone: string, now: number): string {
  return dayAndTime(instant, timeZone, now).replace(/^(?:Today|Yesterday|Tomorrow)/, (day) => day.toLowerCase())
}

/** `Today 3:04 PM`, `Tomorrow 8:00 AM`, `Mon, Nov 23 8:00 AM`. */
export function dayAndTime(instant: string, timeZone: string, now: number): string {
  return `${dayName(timeZone, Date.parse(instant), now)} ${formatTime(instant, timeZone)}`
}
