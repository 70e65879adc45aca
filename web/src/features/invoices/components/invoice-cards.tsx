// Phone layout.
import { Link } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { formatDueDate } from '../lib/due-date-text'
import { formatInvoiceName } from '../mutations'
import type { InvoiceSummary } from '../types'
import { InvoiceBadges } from './invoice-badges'

export function InvoiceCards({ invoices, label }: { invoices: readonly InvoiceSummary[]; label: string }) {
  return (
    <ul aria-label={label} className="grid gap-3">
      {invoices.map((invoice) => (
        <InvoiceCard key={invoice.id} invoice={invoice} />
      ))}
    </ul>
  )
}

function InvoiceCard({ invoice }: { invoice: InvoiceSummary }) {
  const { id, customer, total, balance, issuedOn, status } = invoice
  const due = formatDueDate(invoice)
  return (
    <li className="relative glass-card grid gap-2 p-4 [contain-intrinsic-size:auto_8rem] [content-visibility:auto] hover:border-primary/55">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew wrap-anywhere">
            <Link to={paths.invoice(id)} className="after:absolute after:inset-0 after:rounded-box hover:underline">
              {customer}
            </Link>
          </h2>
          <p className="text-muted">{formatInvoiceName(invoice)}</p>
        </div>
        <p className="shrink-0 text-right tabular-nums">
          <span className="block text-crew font-semibold">{formatCents(total)}</span>
          {balance > 0 && balance < total && (
            <span className="block text-note text-muted">{t('{amount} open', { amount: formatCents(balance) })}</span>
          )}
        </p>
      </div>
      <p className="flex flex-wrap justify-between gap-x-3 text-note text-muted">
        <span>{issuedOn ? t('Issued {day}', { day: formatCalendarDay(issuedOn) }) : t('Not sent yet')}</span>
        {due && <span className={classNames(status === 'overdue' && 'text-error')}>{due}</span>}
      </p>
      <p className="flex flex-wrap gap-2">
        <InvoiceBadges invoice={invoice} />
      </p>
    </li>
  )
}
