// The invoices as a table, for screens wide enough to compare rows.
import { Link } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { dayWords } from '@/lib/format/day-words'
import { formatCents } from '@/lib/format/money'
import { paths } from '@/lib/paths'
import { Table } from '@/ui/table'
import { overdueWords } from '../lib/due-words'
import { invoiceName } from '../mutations'
import type { InvoiceSummary } from '../types'
import { InvoiceBadges } from './invoice-badges'

const COLUMNS = [
  { key: 'number', label: 'Number' },
  { key: 'customer', label: 'Customer' },
  { key: 'issued', label: 'Issued' },
  { key: 'due', label: 'Due' },
  { key: 'total', label: 'Total', numeric: true },
  { key: 'balance', label: 'Balance', numeric: true },
  { key: 'status', label: 'Status' },
] as const

export function InvoiceTable({ invoices }: { invoices: readonly InvoiceSummary[] }) {
  return (
    <Table caption="Invoices, newest first" columns={COLUMNS} className="glass-card">
      {invoices.map((invoice) => (
        <Row key={invoice.id} invoice={invoice} />
      ))}
    </Table>
  )
}

function Row({ invoice }: { invoice: InvoiceSummary }) {
  const { id, customer, issuedOn, dueOn, daysOverdue, status, total, balance } = invoice
  const isAsked = status === 'open' || status === 'overdue'
  return (
    <tr className="border-primary/15 hover:bg-primary/5">
      <td className="whitespace-nowrap">
        <Link to={paths.invoice(id)} className="text-link inline-flex min-h-11 items-center">
          {invoiceName(invoice)}
        </Link>
      </td>
      <td className="wrap-anywhere">{customer}</td>
      <td className="whitespace-nowrap">
        {issuedOn ? dayWords(issuedOn) : <span className="text-muted">Not sent yet</span>}
      </td>
      <td className="whitespace-nowrap">
        {dueOn ? dayWords(dueOn) : <span className="text-muted">–</span>}
        {status === 'overdue' && <span className="block text-caption text-error">{overdueWords(daysOverdue)}</span>}
      </td>
      <td className="text-right whitespace-nowrap">{formatCents(total)}</td>
      <td className={classNames('text-right whitespace-nowrap', isAsked && 'font-semibold')}>
        {status === 'void' ? <span className="text-muted">–</span> : formatCents(balance)}
      </td>
      <td>
        <span className="flex flex-wrap gap-1.5">
          <InvoiceBadges invoice={invoice} />
        </span>
      </td>
    </tr>
  )
}
