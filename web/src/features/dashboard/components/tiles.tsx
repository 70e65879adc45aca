import { formatMoney, formatMoneyShort, formatWholeMoney } from '@/lib/format/money'
import { formatCount, formatPercent } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { ShareBar } from '@/ui/chart/share-bar'
import { SparkBars } from '@/ui/chart/spark-bars'
import { describeCountChange } from '../lib/count-change'
import { formatMonth, formatDateSpan } from '../lib/periods'
import type { DailyMetrics, Kpis } from '../types'
import { EstimatedBadge } from './estimated-badge'
import { Tile, TILE_GRID, TileLink, TileNote } from './tile'

/** Above this a tile has no room for every dollar. */
const ABBREVIATE_FROM = 1_000_000
const DAYS_PER_WEEK = 7

const formatTileMoney = (dollars: number) =>
  Math.abs(dollars) >= ABBREVIATE_FROM ? formatMoneyShort(dollars) : formatWholeMoney(dollars)

/** The full text, where it is abbreviated. */
const fullAmount = (dollars: number) =>
  formatTileMoney(dollars) === formatMoney(dollars) ? undefined : formatMoney(dollars)

type TilesProps = { figures: Kpis; /** Oldest first; they only shape the tiles. */ days: readonly DailyMetrics[] }

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
  const change = describeCountChange(week.newLeads.value, priorWeek.newLeads.value)
  const twoWeeks = days.slice(-2 * DAYS_PER_WEEK).map(({ newLeads }) => newLeads)
  return (
    <Tile
      title={t('New Leads')}
      icon="leads"
      iconClass="text-primary"
      value={formatCount(week.newLeads.value)}
      rows={week.newLeads.rows}
      of={t('new leads this week, {days}', { days: formatDateSpan(week) })}
      span={t('this week')}
      below={
        <TileLink rows={priorWeek.newLeads.rows} of={formatDateSpan(priorWeek)} icon={change.icon}>
          {t('{change} the week before ({count})', {
            change: change.text,
            count: formatCount(priorWeek.newLeads.value),
          })}
        </TileLink>
      }
      shape={<SparkBars values={twoWeeks} from={Math.max(0, twoWeeks.length - DAYS_PER_WEEK)} className="h-7" />}
    />
  )
}

function Revenue({ figures: { month, priorMonth }, days }: TilesProps) {
  const ofMonth = days.filter(({ date }) => date >= month.from).map(({ paidJobsRevenue }) => paidJobsRevenue)
  const name = formatMonth(month.from, 'long')
  return (
    <Tile
      title={t('Monthly Revenue')}
      icon="dollar"
      iconClass="text-secondary"
      value={formatTileMoney(month.revenue.value)}
      exact={fullAmount(month.revenue.value)}
      rows={month.revenue.rows}
      of={t('revenue in {month} so far', { month: name })}
      span={t('{month} so far', { month: name })}
      below={
        <>
          <TileLink rows={month.jobsDone.rows} of={t('in {month}', { month: name })} icon="check">
            {plural(month.jobsDone.value, '{count} job completed', '{count} jobs completed', {
              count: formatCount(month.jobsDone.value),
            })}
          </TileLink>
          <TileLink rows={priorMonth.revenue.rows} of={t('revenue')}>
            {formatMonth(priorMonth.from, 'long')}: {formatTileMoney(priorMonth.revenue.value)}
          </TileLink>
        </>
      }
      shape={<SparkBars values={ofMonth} className="h-7" />}
    />
  )
}

function describeCosts(cost: number, overhead: number): string {
  const costs = formatTileMoney(cost)
  return overhead > 0
    ? t('after {costs} costs, {overhead} overhead', { costs, overhead: formatTileMoney(overhead) })
    : t('after {costs} costs', { costs })
}

function Margin({ figures: { month } }: { figures: Kpis }) {
  const { amount, percent, cost, overhead, isEstimate, rows } = month.margin
  const name = formatMonth(month.from, 'long')
  // Where nothing came in and nothing was done there is nothing to estimate.
  const isAny = month.revenue.value !== 0 || month.jobsDone.value > 0
  return (
    <Tile
      title={t('Monthly Margin')}
      icon="chart"
      iconClass="text-success"
      value={formatTileMoney(amount)}
      exact={fullAmount(amount)}
      rows={rows}
      mark={isEstimate && isAny && <EstimatedBadge />}
      of={t('margin in {month} so far, by its completed jobs', { month: name })}
      span={t('{month} so far', { month: name })}
      below={
        isAny && (
          <>
            <TileNote>{t('{percent} of revenue', { percent: formatPercent(percent / 100) })}</TileNote>
            <TileNote>{describeCosts(cost, overhead)}</TileNote>
          </>
        )
      }
      shape={
        month.revenue.value > 0 && (
          <ShareBar parts={[{ colour: 'main', value: amount }]} whole={month.revenue.value} className="mt-3 mb-2" />
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
    { colour: 'first', value: to30Days.total },
    { colour: 'second', value: to60Days.total },
    { colour: 'third', value: over60Days.total },
  ] as const
  return (
    <Tile
      title={t('Past Due Invoices')}
      icon="alert"
      iconClass="text-warning"
      value={formatTileMoney(overdue.total)}
      exact={fullAmount(overdue.total)}
      rows={overdue.rows}
      of={t('past due now')}
      span={
        overdue.count === 0
          ? t('nothing is past due')
          : plural(overdue.count, '{count} invoice past due', '{count} invoices past due', {
              count: formatCount(overdue.count),
            })
      }
      below={
        <TileLink rows={open.rows} of={t('to be paid by {count} open invoices', { count: formatCount(open.count) })}>
          {t('{amount} open in all', { amount: formatTileMoney(open.total) })}
        </TileLink>
      }
      shape={overdue.total > 0 && <ShareBar parts={parts} className="mt-3 mb-2" />}
    />
  )
}
