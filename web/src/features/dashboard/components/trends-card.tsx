// Yearly trends as a chart or a table; the table replaces the chart until it is loaded.
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { formatMoney, formatWholeMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { ShareLegend } from '@/ui/chart/share-bar'
import { StatusLine } from '@/ui/status-line'
import { formatMonth } from '../lib/periods'
import { type TrendTotals, getTrendTotals, describeTrends } from '../lib/trends'
import { useVisibleAndIdle } from '../lib/use-visible-and-idle'
import { dashboardMessages as texts } from '../messages'
import type { MonthFigures } from '../types'
import { EstimatedBadge } from './estimated-badge'
import { FigureLink } from './figure-link'
import { TrendsTable } from './trends-table'

type Chart = ComponentType<{ months: readonly MonthFigures[] }>

/** The chart once it is here; `failed` where it could not be fetched. */
function useChart(isWanted: boolean): Chart | 'failed' | undefined {
  const [chart, setChart] = useState<{ drawn: Chart | 'failed' }>()
  useEffect(() => {
    if (!isWanted) return
    let isShown = true
    const found = (drawn: Chart | 'failed') => {
      if (isShown) setChart({ drawn })
    }
    import('../chart/trends-chart').then(
      ({ TrendsChart }) => found(TrendsChart),
      () => found('failed'),
    )
    return () => {
      isShown = false
    }
  }, [isWanted])
  return chart?.drawn
}

export function TrendsCard({ months }: { months: readonly MonthFigures[] }) {
  const isEmpty = months.every(({ revenue, profit }) => revenue === 0 && profit === 0)
  const [place, isSeen] = useVisibleAndIdle<HTMLDivElement>()
  const chart = useChart(isSeen && !isEmpty)
  const [isTable, setIsTable] = useState(false)
  const hasFailed = chart === 'failed'
  return (
    <Card title={texts.trends.title} icon="chart">
      <Summary trends={getTrendTotals(months)} />
      <div ref={place} className="mt-4">
        {hasFailed && (
          <div className="mb-2">
            <StatusLine tone="warning" icon="alert">
              {texts.trends.noChart}
            </StatusLine>
          </div>
        )}
        {isEmpty && !isTable && <p className="text-muted">{texts.trends.empty}</p>}
        {isTable || hasFailed ? (
          <TrendsTable months={months} />
        ) : (
          !isEmpty && <ChartOrTable months={months} chart={chart} />
        )}
      </div>
      {!hasFailed && (
        <Button
          variant="ghost"
          className="mt-1 -ml-4 text-note! text-primary!"
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? t('Show chart') : t('Show data')}
        </Button>
      )}
    </Card>
  )
}

function ChartOrTable({ months, chart: TrendsChart }: { months: readonly MonthFigures[]; chart: Chart | undefined }) {
  return (
    <>
      <p className="mb-2 flex flex-wrap gap-x-4 text-note text-muted">
        <span>
          <ShareLegend colour="main" />
          {t('Revenue')}
        </span>
        <span>
          <ShareLegend colour="second" />
          {months.some(({ isEstimate }) => isEstimate) ? t('Profit, hatched where est.') : t('Profit')}
        </span>
      </p>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is drawn, not loaded */}
      <div role="img" aria-label={describeTrends(months)} className="h-64 sm:h-72">
        {/* Not animated: an off-screen shimmer would be painted all the time. */}
        {TrendsChart ? <TrendsChart months={months} /> : <div className="h-full rounded-field bg-base-300/60" />}
      </div>
    </>
  )
}

function Summary({ trends: { revenue, profit, average, best, isEstimate, rows } }: { trends: TrendTotals }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-4">
      <SummaryValue label={t('Revenue, 12 months')}>
        <FigureLink rows={rows} of={t('revenue of the last twelve months')}>
          {formatMoney(revenue)}
        </FigureLink>
      </SummaryValue>
      <SummaryValue label={t('Profit, 12 months')}>
        {formatMoney(profit)} {isEstimate && <EstimatedBadge />}
      </SummaryValue>
      <SummaryValue label={t('Average month')}>{formatWholeMoney(average)}</SummaryValue>
      <SummaryValue label={t('Best month')}>
        {best ? (
          <FigureLink rows={best.rows} of={t('revenue in the best month')}>
            {formatMonth(best.month, 'short')}, {formatWholeMoney(best.revenue)}
          </FigureLink>
        ) : (
          t('None yet')
        )}
      </SummaryValue>
    </dl>
  )
}

function SummaryValue({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="flex min-h-8 flex-wrap items-center gap-x-2 text-crew font-semibold tabular-nums">{children}</dd>
    </div>
  )
}
