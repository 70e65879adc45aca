// The spans of the figures in words. Days and months are the business's own; they come as dates without a zone.
import { lazily } from '@/lib/format/lazily'

const inUtc = (shape: Intl.DateTimeFormatOptions) =>
  lazily(() => new Intl.DateTimeFormat('en-US', { ...shape, timeZone: 'UTC' }))
const shapes = {
  short: inUtc({ month: 'short' }),
  long: inUtc({ month: 'long' }),
  whole: inUtc({ month: 'long', year: 'numeric' }),
  day: inUtc({ month: 'short', day: 'numeric' }),
}

const noon = (date: string) => new Date(`${date}T12:00:00Z`)

/** `Nov`, `November` or `November 2026` of a day in it. */
export function monthName(date: string, shape: 'short' | 'long' | 'whole'): string {
  return shapes[shape]().format(noon(date))
}

/** `Nov 16 to Nov 22` */
export function spanWords({ from, to }: { from: string; to: string }): string {
  return `${shapes.day().format(noon(from))} to ${shapes.day().format(noon(to))}`
}
