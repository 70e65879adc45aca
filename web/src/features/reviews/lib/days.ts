// The days that an address narrows a list to: both of them, or none.
import { dayWords } from '@/lib/format/day-words'
import { ALL_DAYS, type Days } from '../queries'

const DAY = /^\d{4}-\d{2}-\d{2}$/

const isDay = (text: string | null): text is string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text))

export function daysIn(params: URLSearchParams): Days {
  const [from, to] = [params.get('from'), params.get('to')]
  return isDay(from) && isDay(to) ? { from, to } : ALL_DAYS
}

/** `Sep 11, 2026 to Sep 17, 2026`; nothing for all days. */
export function daysWords({ from, to }: Days): string | undefined {
  if (from === '') return undefined
  return from === to ? dayWords(from) : `${dayWords(from)} to ${dayWords(to)}`
}
