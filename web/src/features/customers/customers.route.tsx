import { useInfiniteQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { isDemoMode } from '@/lib/demo'
import { formatCount } from '@/lib/format/number'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { Skeleton } from '@/ui/skeleton'
import { CustomerRows } from './components/customer-rows'
import { RecentImports } from './components/recent-imports'
import { customersMessages } from './messages'
import { type CustomerList, customerQueries } from './queries'

const ImportCustomersDialog = lazy(async () => ({
  default: (await import('./actions/import-dialog')).ImportCustomersDialog,
}))

const SEARCH_DEBOUNCE_MS = 250

function toRows(pages: readonly CustomerList[]) {
  // A new customer between two fetches shifts the pages: duplicates are dropped.
  const byId = new Map(pages.flatMap(({ customers }) => customers).map((customer) => [customer.id, customer]))
  return { customers: [...byId.values()], total: pages[0]?.total ?? 0 }
}

/** The words that are looked for, kept in the address so that Back brings them again. */
function useCustomerSearch() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const change = (typed: string) => {
    setText(typed)
    setParams(typed.trim() === '' ? {} : { q: typed.trim() }, { replace: true })
  }
  return { text, q: useDebounced(text.trim(), SEARCH_DEBOUNCE_MS), change }
}

export function Component() {
  useDocumentTitle(customersMessages.title)
  const { orgId, orgTimezone } = useCurrentUser()
  const { text, q, change } = useCustomerSearch()
  const [isImporting, setIsImporting] = useState(false)
  const list = useInfiniteQuery(customerQueries.list(orgId, q))
  const rows = useMemo(() => list.data && toRows(list.data.pages), [list.data])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="text-title">{customersMessages.title}</h1>
        {!isDemoMode() && (
          <Button variant="secondary" icon="share-up" onClick={() => setIsImporting(true)}>
            {t('Import CSV')}
          </Button>
        )}
      </header>
      {!isDemoMode() && <RecentImports />}
      {isImporting && (
        <Suspense fallback={null}>
          <ImportCustomersDialog onClose={() => setIsImporting(false)} />
        </Suspense>
      )}
      <SearchBox
        label={t('Search customers by name, phone or email')}
        placeholder={t('Name, phone or email')}
        value={text}
        onChange={change}
      />
      <QueryBoundary
        query={{ ...list, data: rows }}
        skeleton={<ListSkeleton />}
        errorText={customersMessages.listFailed}
        timeZone={orgTimezone}
        isEmpty={({ total }) => total === 0 && q === ''}
        empty={
          <div className="glass-card">
            <EmptyState icon="user" title={customersMessages.noneTitle}>
              <p>{customersMessages.none}</p>
            </EmptyState>
          </div>
        }
      >
        {({ customers, total }) =>
          customers.length === 0 ? (
            <div className="glass-card" role="status">
              <EmptyState
                icon="search"
                title={customersMessages.noMatch}
                action={
                  <Button variant="secondary" icon="close" onClick={() => change('')}>
                    {t('Show all customers')}
                  </Button>
                }
              />
            </div>
          ) : (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
              {q !== '' && (
                <p role="status" className="text-note text-muted">
                  {plural(total, '{count} customer found', '{count} customers found', { count: formatCount(total) })}
                </p>
              )}
              <CustomerRows customers={customers} timeZone={orgTimezone} />
              {list.hasNextPage && (
                <div className="grid justify-items-center gap-2 py-2">
                  <p className="text-note text-muted">
                    {t('{count} of {total} shown', { count: formatCount(customers.length), total: formatCount(total) })}
                  </p>
                  <Button
                    variant="secondary"
                    pending={list.isFetchingNextPage}
                    pendingText={t('Loading...')}
                    onClick={() => void list.fetchNextPage()}
                  >
                    {t('Show more')}
                  </Button>
                </div>
              )}
            </div>
          )
        }
      </QueryBoundary>
    </div>
  )
}

function ListSkeleton() {
  return (
    <div className="grid gap-2">
      {Array.from({ length: 6 }, (_, row) => (
        <Skeleton key={row} className="h-20 w-full rounded-box" />
      ))}
    </div>
  )
}
