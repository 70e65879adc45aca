import { useInfiniteQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useDrilldown } from '@/domain/use-drilldown'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { FilterBanner } from '@/ui/filter-banner'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { InvoiceExportButtons } from './components/export-buttons'
import { InvoiceFilterBar } from './components/invoice-filter-bar'
import { InvoiceResults } from './components/invoice-results'
import { describeInvoiceDrilldown, useInvoiceFilters } from './lib/use-invoice-filters'
import { invoicesMessages } from './messages'
import { type InvoicePage, invoiceQueries } from './queries'

const EnableRemindersDialog = lazy(async () => ({
  default: (await import('./actions/reminders-dialog')).EnableRemindersDialog,
}))

function toRows(pages: readonly InvoicePage[]) {
  // A new invoice between two fetches shifts the pages: duplicates are dropped.
  const byId = new Map(pages.flatMap(({ invoices }) => invoices).map((invoice) => [invoice.id, invoice]))
  const { invoices: _first, cursor: _next, ...totals } = pages[0] ?? { invoices: [], cursor: null, total: 0 }
  return { invoices: [...byId.values()], ...totals }
}

export function Component() {
  useDocumentTitle(invoicesMessages.title)
  const { orgId, orgTimezone } = useCurrentUser()
  const filterState = useInvoiceFilters()
  const list = useInfiniteQuery(invoiceQueries.list(orgId, filterState.filters))
  const rows = useMemo(() => list.data && toRows(list.data.pages), [list.data])
  const drilldownText = describeInvoiceDrilldown(filterState.filters)
  const { clear } = useDrilldown(() => undefined)
  const isNarrowed = drilldownText !== undefined || filterState.filters.status !== '' || filterState.filters.q !== ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{invoicesMessages.title}</h1>
        <LinkButton variant="secondary" to={paths.payments}>
          {t('Payments')}
        </LinkButton>
        <div className="sm:order-last">
          <RemindersButton />
        </div>
        <div className="max-sm:basis-full">
          <InvoiceExportButtons filters={filterState.filters} />
        </div>
      </header>
      <InvoiceFilterBar filterState={filterState} />
      {drilldownText && <FilterBanner label={drilldownText} onClear={clear} />}
      <QueryBoundary
        query={{ ...list, data: rows }}
        skeleton={<ListSkeleton />}
        errorText={invoicesMessages.listFailed}
        timeZone={orgTimezone}
        isEmpty={({ total }) => total === 0 && !isNarrowed}
        empty={
          <div className="glass-card">
            <EmptyState icon="dollar" title={invoicesMessages.noneTitle}>
              <p>{invoicesMessages.none}</p>
            </EmptyState>
          </div>
        }
      >
        {(found) => (
          <InvoiceResults
            {...found}
            isNarrowed={isNarrowed}
            sort={filterState.filters.sort}
            onClear={filterState.clear}
            onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
            isLoadingMore={list.isFetchingNextPage}
          />
        )}
      </QueryBoundary>
    </div>
  )
}

/** Invoices from before reminders were on: reminded of only if ticked by a person. */
function RemindersButton() {
  const isOnline = useOnline()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        variant="secondary"
        icon="bell"
        disabled={!isOnline}
        title={isOnline ? undefined : invoicesMessages.offline}
        onClick={() => setIsOpen(true)}
      >
        {t('Reminders')}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <EnableRemindersDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function ListSkeleton() {
  return (
    <div className="grid gap-3">
      {Array.from({ length: 4 }, (_, row) => (
        <Skeleton key={row} className="h-28 w-full rounded-box lg:h-14" />
      ))}
    </div>
  )
}
