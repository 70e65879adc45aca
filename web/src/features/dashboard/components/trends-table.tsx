// The months of the chart as rows, each figure with its own rows behind it.
import { Link } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { Table } from '@/ui/table'
import { monthName } from '../lib/periods'
import type { Month } from '../types'
import { EstMark } from './est-mark'

const COLUMNS = [
  { key: 'month', label: 'Month' },
  { key: 'revenue', label: 'Revenue', numeric: true },
  { key: 'costs', label: 'Costs', numeric: true },
  { key: 'profit', label: 'Profit', numeric: true },
] as const

/** Oldest first, as in the chart. */
export function TrendsTable({ months }: { months: readonly Month[] }) {
  return (
    <Table caption="Revenue, costs and profit by month, oldest first" columns={COLUMNS} className="-mx-2">
      {months.map(({ month, revenue, cost, overhead, profit, isEstimate, rows }) => (
        <tr key={month}>
          <th scope="row" className="font-normal whitespace-nowrap">
            {monthName(month, 'whole')}
          </th>
          <td className="text-right">
            <Link to={rows} className="text-link inline-flex min-h-8 items-center">
              {formatCents(revenue)} <span className="sr-only">revenue in {monthName(month, 'whole')}</span>
            </Link>
          </td>
          <td className="text-right">{formatCents(cost + overhead)}</td>
          <td className="text-right whitespace-nowrap">
            {isEstimate && (
              <>
                <EstMark />{' '}
              </>
            )}
            {formatCents(profit)}
          </td>
        </tr>
      ))}
    </Table>
  )
}
