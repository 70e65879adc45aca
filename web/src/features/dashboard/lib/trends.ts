// Trend totals, description and axis ticks.
import { formatMoney, formatWholeMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import type { MonthFigures } from '../types'
import { formatMonth } from './periods'

export type TrendTotals = {
  revenue: number
  profit: number
  /** In whole dollars, of a month that is over or goes on. */
  average: number
  /** The month with the most revenue; none while nothing came in. */
  best: MonthFigures | undefined
  isEstimate: boolean
  /** Where the rows of all months are. */
  rows: string
}

const inCents = (dollars: number) => Math.round(dollars * 100)
const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + inCents(amount), 0) / 100

/** The first month's rows, until the last day of the last month's. */
function periodHref(first: string, last: string): string {
  const [path = '', query] = first.split('?')
  const [whole, end] = [new URLSearchParams(query), new URLSearchParams(last.split('?')[1])]
  whole.set('to', end.get('to') ?? whole.get('to') ?? '')
  return `${path}?${whole.toString()}`
}

/** `months` come oldest first. */
export function getTrendTotals(months: readonly MonthFigures[]): TrendTotals {
  const revenue = sum(months.map((month) => month.revenue))
  const best = months.reduce<MonthFigures | undefined>(
    (most, month) => (month.revenue > (most?.revenue ?? 0) ? month : most),
    undefined,
  )
  return {
    revenue,
    profit: sum(months.map(({ profit }) => profit)),
    average: months.length === 0 ? 0 : Math.round(revenue / months.length),
    best,
    isEstimate: months.some(({ isEstimate }) => isEstimate),
    rows: periodHref(months[0]?.rows ?? '', months.at(-1)?.rows ?? ''),
  }
}

function describeRevenue(revenue: number, best: MonthFigures | undefined): string {
  const amount = formatMoney(revenue)
  return best
    ? t('{amount} revenue, most of it in {month} with {most}', {
        amount,
        month: formatMonth(best.month, 'whole'),
        most: formatWholeMoney(best.revenue),
      })
    : t('{amount} revenue', { amount })
}

/** What the chart shows, in words. */
export function describeTrends(months: readonly MonthFigures[]): string {
  const { revenue, profit, best, isEstimate } = getTrendTotals(months)
  const [first, last] = [months[0], months.at(-1)]
  if (!first || !last) return t('No months yet.')
  const span = t('Revenue and profit by month, {from} to {to}', {
    from: formatMonth(first.month, 'whole'),
    to: formatMonth(last.month, 'whole'),
  })
  const earned = isEstimate
    ? t('{amount} profit, partly an estimate', { amount: formatMoney(profit) })
    : t('{amount} profit', { amount: formatMoney(profit) })
  return `${span}: ${describeRevenue(revenue, best)}; ${earned}.`
}

const TICK_STEPS = [1, 2, 2.5, 5, 10] as const
/** Lines above the ground, about. */
const TICK_COUNT = 4

/** Round amounts for the lines of the chart, nothing among them; all bars lie between the first and the last. */
export function axisTicks(months: readonly MonthFigures[]): number[] {
  const amounts = months.flatMap(({ revenue, profit }) => [revenue, profit])
  const [least, most] = [Math.min(0, ...amounts), Math.max(0, ...amounts)]
  const wanted = Math.max(1, most - least) / TICK_COUNT
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = (TICK_STEPS.find((one) => one * power >= wanted) ?? 10) * power
  const [first, last] = [Math.floor(least / step), Math.max(1, Math.ceil(most / step))]
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step)
}
