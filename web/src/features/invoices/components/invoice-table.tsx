// Desktop layout.
import { Link } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Table } from '@/ui/table'
import { formatOverdue } from '../lib/due-date-text'
import { formatInvoiceName } from '../mutations'
import type { InvoiceSummary } from '../types'
import { InvoiceBadges } from './invoice-badges'

const COLUMNS = [
  { key: 'number', label: t('Number') },
  { key: 'customer', label: t('Customer') },
  { key: 'issued', label: t('Issued') },
  { key: 'due', label: t('Due') },
  { key: 'total', label: t('Total'), numeric: true },
  { key: 'balance', label: t('Balance'), numeric: true },
  { key: 'status', label: t('Status') },
] as const

export function InvoiceTable({ invoices, label }: { invoices: readonly InvoiceSummary[]; label: string }) {
  return (
    <Table caption={label} columns={COLUMNS} className="glass-card">
      {invoices.map((invoice) => (
        <InvoiceRow key={invoice.id} invoice={invoice} />
      ))}
    </Table>
  )
}

function InvoiceRow({ invoice }: { invoice: InvoiceSummary }) {
  const { id, customer, issuedOn, dueOn, daysOverdue, status, total, balance } = invoice
  const isAsked = status === 'open' || status === 'overdue'
  return (
    <tr className="border-primary/15 hover:bg-primary/5">
      <td className="whitespace-nowrap">
        <Link to={paths.invoice(id)} className="text-link inline-flex min-h-11 items-center">
          {formatInvoiceName(invoice)}
        </Link>
      </td>
      <td className="wrap-anywhere">{customer}</td>
      <td className="whitespace-nowrap">
        {issuedOn ? formatCalendarDay(issuedOn) : <span className="text-muted">{t('Not sent yet')}</span>}
      </td>
      <td className="whitespace-nowrap">
        {dueOn ? formatCalendarDay(dueOn) : <span className="text-muted">–</span>}
        {status === 'overdue' && <span className="block text-caption text-error">{formatOverdue(daysOverdue)}</span>}
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
