import { formatMoney } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ShareBar, ShareLegend } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import type { Receivables, SpanFigures } from '../types'
import { FigureLink, FigureRow } from './figure-link'

type PastDuePanelProps = { receivables: Receivables; week: SpanFigures }

const formatInvoiceCount = (count: number) =>
  plural(count, '{count} invoice', '{count} invoices', { count: formatCount(count) })

export function PastDuePanel({
  receivables: { overdue, to30Days, to60Days, over30Days, over60Days },
  week,
}: PastDuePanelProps) {
  const days = formatDateSpan(week)
  return (
    <Card title={t('Past Due Invoices')} icon="alert" className="h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={overdue.rows}
          of={t('past due in all')}
          className="text-title font-semibold text-warning tabular-nums"
        >
          {formatMoney(overdue.total)}
        </FigureLink>
        <span className="text-note text-muted">
          {overdue.count === 0 ? t('nothing is past due') : formatInvoiceCount(overdue.count)}
        </span>
      </p>
      <ShareBar
        parts={[
          { colour: 'first', value: to30Days.total },
          { colour: 'second', value: to60Days.total },
          { colour: 'third', value: over60Days.total },
        ]}
        className="mt-2 mb-1"
      />
      <dl>
        <FigureRow
          label={
            <>
              <ShareLegend colour="first" />
              {t('1 to 30 days')}
            </>
          }
          rows={to30Days.rows}
          of={t('past due for 1 to 30 days')}
        >
          {formatAgeing(to30Days)}
        </FigureRow>
        <FigureRow
          label={
            <>
              <ShareLegend colour="second" />
              {t('30+ days')}
            </>
          }
          rows={over30Days.rows}
          of={t('past due for more than 30 days, those of more than 60 among them')}
        >
          {formatAgeing(over30Days)}
        </FigureRow>
        <FigureRow
          label={
            <>
              <ShareLegend colour="third" />
              {t('60+ days')}
            </>
          }
          rows={over60Days.rows}
          of={t('past due for more than 60 days')}
        >
          {formatAgeing(over60Days)}
        </FigureRow>
        <FigureRow label={t('Paid this week')} rows={week.paidJobs.rows} of={t('paid this week, {days}', { days })}>
          {plural(week.paidJobs.value, '{count} job', '{count} jobs', { count: formatCount(week.paidJobs.value) })}
        </FigureRow>
        <FigureRow
          label={t('Unpaid of this week')}
          rows={week.unpaidTotal.rows}
          of={t('issued this week and still to be paid, {days}', { days })}
        >
          {formatAgeing({ count: week.unpaidJobs.value, total: week.unpaidTotal.value })}
        </FigureRow>
      </dl>
    </Card>
  )
}

/** `3 · $3,860.49` */
const formatAgeing = ({ count, total }: { count: number; total: number }) =>
  `${formatCount(count)} · ${formatMoney(total)}`
