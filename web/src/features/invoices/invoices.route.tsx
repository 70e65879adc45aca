// The invoices of the business: what was billed, what is open, what is late.
import { useInfiniteQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useBehind } from '@/domain/use-behind'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useOnline } from '@/lib/hooks/use-online'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Narrowed } from '@/ui/narrowed'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { ExportButtons } from './components/export-buttons'
import { InvoiceFilters } from './components/invoice-filters'
import { InvoicesFound } from './components/invoices-found'
import { behindWords, useInvoiceFilters } from './lib/use-invoice-filters'
import { invoicesMessages } from './messages'
import { type InvoicePage, invoiceQueries } from './queries'

const RemindersDialog = lazy(async () => ({ default: (await import('./actions/reminders-dialog')).RemindersDialog }))

function toRows(pages: readonly InvoicePage[]) {
  // An invoice that is made between two pages moves the rest down by one: told once is enough.
  const byId = new Map(pages.flatMap(({ invoices }) => invoices).map((invoice) => [invoice.id, invoice]))
  const { invoices: _first, cursor: _next, ...totals } = pages[0] ?? { invoices: [], cursor: null, total: 0 }
  return { invoices: [...byId.values()], ...totals }
}

export function Component() {
  useDocumentTitle(invoicesMessages.title)
  const { orgId, orgTimezone } = useCurrentUser()
  const box = useInvoiceFilters()
  const list = useInfiniteQuery(invoiceQueries.list(orgId, box.filters))
  const rows = useMemo(() => list.data && toRows(list.data.pages), [list.data])
  const words = behindWords(box.filters)
  const { clear } = useBehind(() => undefined)
  const isNarrowed = words !== undefined || box.filters.status !== '' || box.filters.q !== ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{invoicesMessages.title}</h1>
        <LinkButton variant="secondary" to={paths.payments}>
          Payments
        </LinkButton>
        <div className="sm:order-last">
          <RemindersButton />
        </div>
        <div className="max-sm:basis-full">
          <ExportButtons filters={box.filters} />
        </div>
      </header>
      <InvoiceFilters box={box} />
      {words && <Narrowed words={words} onClear={clear} />}
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
          <InvoicesFound
            {...found}
            isNarrowed={isNarrowed}
            onClear={box.clear}
            onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
            isLoadingMore={list.isFetchingNextPage}
          />
        )}
      </QueryBoundary>
    </div>
  )
}

/** Invoices from before reminders were on: each is ticked by a person, or nobody is reminded of it. */
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
        Reminders
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <RemindersDialog onClose={() => setIsOpen(false)} />
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
