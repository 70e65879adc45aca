import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { formatCents } from '@/lib/format/money'
import { useCurrentUser } from '@/features/session/use-session'
import { InvoiceActionBar } from '../actions/action-bar'
import { formatInvoiceName } from '../mutations'
import type { InvoiceView } from '../types'
import { InvoiceDetailsCard } from './invoice-details-card'
import { InvoiceHistoryCard } from './history-card'
import { InvoiceBadges } from './invoice-badges'
import { LinesCard } from './lines-card'
import { PaymentsCard } from './payments-card'
import { RemindersCard } from './reminders-card'

export function InvoiceScreen({ invoice }: { invoice: InvoiceView }) {
  const { orgTimezone } = useCurrentUser()
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  return (
    // On a phone the action bar covers the end of the page.
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:pb-20">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-title wrap-anywhere">{formatInvoiceName(invoice)}</h1>
          <p className="mt-1">
            <Link to={paths.lead(invoice.leadId)} className="text-link inline-flex min-h-6 items-center wrap-anywhere">
              {invoice.customer}
            </Link>
          </p>
          <p className="mt-1 mb-2 text-crew tabular-nums">
            {formatCents(invoice.total)}
            {invoice.paid > 0 && invoice.balance > 0 && (
              <span className="text-note text-muted">
                {' '}
                {t('{amount} open', { amount: formatCents(invoice.balance) })}
              </span>
            )}
          </p>
          <p className="flex flex-wrap gap-2">
            <InvoiceBadges invoice={invoice} />
          </p>
        </div>
        {isWide && <InvoiceActionBar invoice={invoice} />}
      </header>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 gap-4">
          <LinesCard invoice={invoice} />
          <PaymentsCard invoice={invoice} />
        </div>
        <div className="grid min-w-0 gap-4">
          <InvoiceDetailsCard invoice={invoice} timeZone={orgTimezone} />
          <RemindersCard invoice={invoice} timeZone={orgTimezone} />
          <InvoiceHistoryCard invoice={invoice} timeZone={orgTimezone} />
        </div>
      </div>
      {!isWide && (
        <div className="glass-bar fixed inset-x-0 bottom-[calc(var(--nav-height)+var(--sai-bottom))] z-20 border-t px-4 py-2">
          <InvoiceActionBar invoice={invoice} />
        </div>
      )}
    </div>
  )
}
