import { Link } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { Table } from '@/ui/table'
import { formatMonth } from '../lib/periods'
import type { MonthFigures } from '../types'
import { EstimatedBadge } from './estimated-badge'

const COLUMNS = [
  { key: 'month', label: t('Month') },
  { key: 'revenue', label: t('Revenue'), numeric: true },
  { key: 'costs', label: t('Costs'), numeric: true },
  { key: 'profit', label: t('Profit'), numeric: true },
] as const

/** Oldest first, as in the chart. */
export function TrendsTable({ months }: { months: readonly MonthFigures[] }) {
  return (
    <Table caption={t('Revenue, costs and profit by month, oldest first')} columns={COLUMNS} className="-mx-2">
      {months.map(({ month, revenue, cost, overhead, profit, isEstimate, rows }) => (
        <tr key={month}>
          <th scope="row" className="font-normal whitespace-nowrap">
            {formatMonth(month, 'whole')}
          </th>
          <td className="text-right">
            <Link to={rows} className="text-link inline-flex min-h-8 items-center">
              {formatCents(revenue)}{' '}
              <span className="sr-only">{t('revenue in {month}', { month: formatMonth(month, 'whole') })}</span>
            </Link>
          </td>
          <td className="text-right">{formatCents(cost + overhead)}</td>
          <td className="text-right whitespace-nowrap">
            {isEstimate && (
              <>
                <EstimatedBadge />{' '}
              </>
            )}
            {formatCents(profit)}
          </td>
        </tr>
      ))}
    </Table>
  )
}
