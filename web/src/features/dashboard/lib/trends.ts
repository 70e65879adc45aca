// Twelve months in a few figures, and in a sentence for who does not see the chart.
import { formatMoney, formatWholeMoney } from '@/lib/format/money'
import type { Month } from '../types'
import { monthName } from './periods'

export type Trends = {
  revenue: number
  profit: number
  /** In whole dollars, of a month that is over or goes on. */
  average: number
  /** The month with the most revenue; none while nothing came in. */
  best: Month | undefined
  isEstimate: boolean
  /** Where the rows of all months are. */
  rows: string
}

const inCents = (dollars: number) => Math.round(dollars * 100)
const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + inCents(amount), 0) / 100

/** The first month's rows, until the last day of the last month's. */
function rowsOf(first: string, last: string): string {
  const [path = '', query] = first.split('?')
  const [whole, end] = [new URLSearchParams(query), new URLSearchParams(last.split('?')[1])]
  whole.set('to', end.get('to') ?? whole.get('to') ?? '')
  return `${path}?${whole.toString()}`
}

/** `months` come oldest first. */
export function trendsOf(months: readonly Month[]): Trends {
  const revenue = sum(months.map((month) => month.revenue))
  const best = months.reduce<Month | undefined>(
    (most, month) => (month.revenue > (most?.revenue ?? 0) ? month : most),
    undefined,
  )
  return {
    revenue,
    profit: sum(months.map(({ profit }) => profit)),
    average: months.length === 0 ? 0 : Math.round(revenue / months.length),
    best,
    isEstimate: months.some(({ isEstimate }) => isEstimate),
    rows: rowsOf(months[0]?.rows ?? '', months.at(-1)?.rows ?? ''),
  }
}

/** What the chart shows, in words. */
export function trendWords(months: readonly Month[]): string {
  const { revenue, profit, best, isEstimate } = trendsOf(months)
  const [first, last] = [months[0], months.at(-1)]
  if (!first || !last) return 'No months yet.'
  const most = best ? `, most of it in ${monthName(best.month, 'whole')} with ${formatWholeMoney(best.revenue)}` : ''
  return (
    `Revenue and profit by month, ${monthName(first.month, 'whole')} to ${monthName(last.month, 'whole')}: ` +
    `${formatMoney(revenue)} revenue${most}; ${formatMoney(profit)} profit${isEstimate ? ', partly an estimate' : ''}.`
  )
}

const STEPS = [1, 2, 2.5, 5, 10] as const
/** Lines above the ground, about. */
const LINES = 4

/** Round amounts for the lines of the chart, nothing among them; all bars lie between the first and the last. */
export function linesOf(months: readonly Month[]): number[] {
  const amounts = months.flatMap(({ revenue, profit }) => [revenue, profit])
  const [least, most] = [Math.min(0, ...amounts), Math.max(0, ...amounts)]
  const wanted = Math.max(1, most - least) / LINES
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = (STEPS.find((one) => one * power >= wanted) ?? 10) * power
  const [first, last] = [Math.floor(least / step), Math.max(1, Math.ceil(most / step))]
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step)
}
