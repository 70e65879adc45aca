// The four tiles: requests, money, what is left of it, and what is owed too long.
import { formatMoney, formatMoneyShort, formatWholeMoney } from '@/lib/format/money'
import { formatCount, formatPercent } from '@/lib/format/number'
import { ShareBar } from '@/ui/chart/share-bar'
import { SparkBars } from '@/ui/chart/spark-bars'
import { countChange } from '../lib/change'
import { monthName, spanWords } from '../lib/periods'
import type { Day, Kpis } from '../types'
import { EstMark } from './est-mark'
import { Tile, TILE_GRID, TileLink, TileNote } from './tile'

/** Above this a tile has no room for every dollar. */
const SHORT_FROM = 1_000_000
const WEEK = 7

const shown = (dollars: number) =>
  Math.abs(dollars) >= SHORT_FROM ? formatMoneyShort(dollars) : formatWholeMoney(dollars)

/** In full, where that is not what is shown. */
const inFull = (dollars: number) => (shown(dollars) === formatMoney(dollars) ? undefined : formatMoney(dollars))

type TilesProps = { figures: Kpis; /** Oldest first; they only shape the tiles. */ days: readonly Day[] }

export function Tiles({ figures, days }: TilesProps) {
  return (
    <div className={TILE_GRID}>
      <NewLeads figures={figures} days={days} />
      <Revenue figures={figures} days={days} />
      <Margin figures={figures} />
      <PastDue figures={figures} />
    </div>
  )
}

function NewLeads({ figures: { week, priorWeek }, days }: TilesProps) {
  const change = countChange(week.newLeads.value, priorWeek.newLeads.value)
  const twoWeeks = days.slice(-2 * WEEK).map(({ newLeads }) => newLeads)
  return (
    <Tile
      title="New Leads"
      icon="leads"
      ink="text-primary"
      value={formatCount(week.newLeads.value)}
      rows={week.newLeads.rows}
      of={`new leads this week, ${spanWords(week)}`}
      span="this week"
      below={
        <TileLink rows={priorWeek.newLeads.rows} of={spanWords(priorWeek)} icon={change.icon}>
          {change.words} the week before ({formatCount(priorWeek.newLeads.value)})
        </TileLink>
      }
      shape={<SparkBars values={twoWeeks} from={Math.max(0, twoWeeks.length - WEEK)} className="h-7" />}
    />
  )
}

function Revenue({ figures: { month, priorMonth }, days }: TilesProps) {
  const ofMonth = days.filter(({ date }) => date >= month.from).map(({ paidJobsRevenue }) => paidJobsRevenue)
  const name = monthName(month.from, 'long')
  return (
    <Tile
      title="Monthly Revenue"
      icon="dollar"
      ink="text-secondary"
      value={shown(month.revenue.value)}
      exact={inFull(month.revenue.value)}
      rows={month.revenue.rows}
      of={`revenue in ${name} so far`}
      span={`${name} so far`}
      below={
        <>
          <TileLink rows={month.jobsDone.rows} of={`in ${name}`} icon="check">
            {formatCount(month.jobsDone.value)} {month.jobsDone.value === 1 ? 'job' : 'jobs'} completed
          </TileLink>
          <TileLink rows={priorMonth.revenue.rows} of="revenue">
            {monthName(priorMonth.from, 'long')}: {shown(priorMonth.revenue.value)}
          </TileLink>
        </>
      }
      shape={<SparkBars values={ofMonth} className="h-7" />}
    />
  )
}

function Margin({ figures: { month } }: { figures: Kpis }) {
  const { amount, percent, cost, overhead, isEstimate, rows } = month.margin
  const name = monthName(month.from, 'long')
  // Where nothing came in and nothing was done there is nothing to estimate.
  const isAny = month.revenue.value !== 0 || month.jobsDone.value > 0
  const costs = [`${shown(cost)} costs`, overhead > 0 && `${shown(overhead)} overhead`].filter(Boolean).join(', ')
  return (
    <Tile
      title="Monthly Margin"
      icon="chart"
      ink="text-success"
      value={shown(amount)}
      exact={inFull(amount)}
      rows={rows}
      mark={isEstimate && isAny && <EstMark />}
      of={`margin in ${name} so far, by its completed jobs`}
      span={`${name} so far`}
      below={
        isAny && (
          <>
            <TileNote>{formatPercent(percent / 100)} of revenue</TileNote>
            <TileNote>after {costs}</TileNote>
          </>
        )
      }
      shape={
        month.revenue.value > 0 && (
          <ShareBar parts={[{ ink: 'main', value: amount }]} whole={month.revenue.value} className="mt-3 mb-2" />
        )
      }
    />
  )
}

function PastDue({
  figures: {
    receivables: { open, overdue, to30Days, to60Days, over60Days },
  },
}: {
  figures: Kpis
}) {
  const parts = [
    { ink: 'first', value: to30Days.total },
    { ink: 'second', value: to60Days.total },
    { ink: 'third', value: over60Days.total },
  ] as const
  return (
    <Tile
      title="Past Due Invoices"
      icon="alert"
      ink="text-warning"
      value={shown(overdue.total)}
      exact={inFull(overdue.total)}
      rows={overdue.rows}
      of="past due now"
      span={
        overdue.count === 0
          ? 'nothing is past due'
          : `${formatCount(overdue.count)} ${overdue.count === 1 ? 'invoice' : 'invoices'} past due`
      }
      below={
        <TileLink rows={open.rows} of={`to be paid by ${formatCount(open.count)} open invoices`}>
          {shown(open.total)} open in all
        </TileLink>
      }
      shape={overdue.total > 0 && <ShareBar parts={parts} className="mt-3 mb-2" />}
    />
  )
}
