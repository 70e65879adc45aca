import { DEFAULT_INVOICE_SORT, INVOICE_SORTS, type InvoiceSort } from '@/domain/invoice'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { invoicesMessages } from '../messages'
import type { InvoiceSummary } from '../types'
import { InvoiceCards } from './invoice-cards'
import { InvoiceTable } from './invoice-table'

type InvoiceResultsProps = {
  invoices: readonly InvoiceSummary[]
  total: number
  amount?: number
  isNarrowed: boolean
  sort: InvoiceSort | undefined
  onClear: () => void
  /** Undefined on the last page. */
  onMore: (() => void) | undefined
  isLoadingMore: boolean
}

export function InvoiceResults({
  invoices,
  total,
  amount,
  isNarrowed,
  sort = DEFAULT_INVOICE_SORT,
  onClear,
  onMore,
  isLoadingMore,
}: InvoiceResultsProps) {
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const Shape = isWide ? InvoiceTable : InvoiceCards
  if (invoices.length === 0) {
    return (
      <div className="glass-card" role="status">
        <EmptyState
          icon="search"
          title={invoicesMessages.noMatch}
          action={
            <Button variant="secondary" icon="close" onClick={onClear}>
              {t('Show all invoices')}
            </Button>
          }
        />
      </div>
    )
  }
  return (
    <div className="grid gap-3">
      {isNarrowed && (
        <p role="status" className="text-note text-muted">
          {plural(total, '{count} invoice found', '{count} invoices found', { count: formatCount(total) })}
          {amount !== undefined && ` · ${t('{amount} to be paid', { amount: formatCents(amount) })}`}
        </p>
      )}
      <Shape invoices={invoices} label={t('Invoices, {order}', { order: INVOICE_SORTS[sort].toLowerCase() })} />
      {onMore && (
        <div className="grid justify-items-center gap-2 py-2">
          <p className="text-note text-muted">
            {t('{count} of {total} shown', { count: formatCount(invoices.length), total: formatCount(total) })}
          </p>
          <Button variant="secondary" pending={isLoadingMore} pendingText={t('Loading...')} onClick={onMore}>
            {t('Show more')}
          </Button>
        </div>
      )}
    </div>
  )
}
