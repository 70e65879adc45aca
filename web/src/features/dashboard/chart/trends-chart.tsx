// Twelve months of revenue and profit. Only importer of recharts, loaded when scrolled into view.
import {
  Bar,
  BarChart,
  CartesianGrid,
  Rectangle,
  type RectangleProps,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts'
import { formatMoney, formatMoneyShort } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { formatMonth } from '../lib/periods'
import { axisTicks } from '../lib/trends'
import type { MonthFigures } from '../types'

const ESTIMATE = 'profit-estimate'
const AXIS = { fill: 'var(--color-muted)', fontSize: 13 } as const
const LINE = 'color-mix(in oklab, var(--color-muted) 30%, transparent)'
const ROUND: [number, number, number, number] = [3, 3, 0, 0]

/** Nothing moves while it is drawn, and the words about it stand around it: it is a picture. */
export function TrendsChart({ months }: { months: readonly MonthFigures[] }) {
  const lines = axisTicks(months)
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={[...months]}
        accessibilityLayer={false}
        barGap={2}
        barCategoryGap="18%"
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
      >
        <defs>
          <pattern id={ESTIMATE} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="6" height="6" fill="var(--color-chart-2)" opacity="0.45" />
            <rect width="3" height="6" fill="var(--color-chart-2)" />
          </pattern>
        </defs>
        <CartesianGrid vertical={false} stroke={LINE} />
        <XAxis
          dataKey="month"
          tickFormatter={(month: string) => formatMonth(month, 'short')}
          tick={AXIS}
          tickLine={false}
          axisLine={{ stroke: LINE }}
          interval="preserveEnd"
          minTickGap={6}
        />
        <YAxis
          ticks={lines}
          domain={[lines[0] ?? 0, lines.at(-1) ?? 0]}
          interval={0}
          tickFormatter={formatMoneyShort}
          tick={AXIS}
          tickLine={false}
          axisLine={false}
          width={52}
        />
        <ReferenceLine y={0} stroke="var(--color-muted)" />
        <Tooltip
          content={MonthTooltip}
          cursor={{ fill: 'var(--color-primary)', opacity: 0.08 }}
          isAnimationActive={false}
        />
        <Bar dataKey="revenue" fill="var(--color-primary)" radius={ROUND} isAnimationActive={false} />
        <Bar dataKey="profit" fill="var(--color-chart-2)" radius={ROUND} isAnimationActive={false} shape={ProfitBar} />
      </BarChart>
    </ResponsiveContainer>
  )
}

/** Hatched where it is an estimate. */
function ProfitBar({ payload, ...place }: RectangleProps & { payload?: MonthFigures }) {
  return (
    <Rectangle
      {...place}
      fill={payload?.isEstimate ? `url(#${ESTIMATE})` : 'var(--color-chart-2)'}
      stroke="var(--color-chart-2)"
      strokeWidth={payload?.isEstimate ? 1 : 0}
    />
  )
}

function MonthTooltip({ active, payload }: TooltipContentProps) {
  const month = payload?.[0]?.payload as MonthFigures | undefined
  if (!active || !month) return null
  return (
    <div className="rounded-field border border-primary/45 bg-base-200 p-2 text-note tabular-nums">
      <p className="font-semibold">{formatMonth(month.month, 'whole')}</p>
      <p>{t('Revenue {amount}', { amount: formatMoney(month.revenue) })}</p>
      <p>
        {month.isEstimate
          ? t('Profit {amount} (est.)', { amount: formatMoney(month.profit) })
          : t('Profit {amount}', { amount: formatMoney(month.profit) })}
      </p>
    </div>
  )
}
