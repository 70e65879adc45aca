// How the business is paid: what its papers say, when its invoices are due, cards, and its prices.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { PaperCard } from '../papers/paper-card'
import { settingsQueries } from '../queries'

// What is not in sight at first comes after what is.
const InvoicingCard = lazy(async () => ({ default: (await import('../papers/invoicing-card')).InvoicingCard }))
const CardPaymentsCard = lazy(async () => ({ default: (await import('../cards/card-payments-card')).CardPaymentsCard }))
const PriceBookCard = lazy(async () => ({ default: (await import('../price-book/price-book-card')).PriceBookCard }))

export function MoneyTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const organization = useQuery(settingsQueries.organization(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <QueryBoundary query={organization} skeleton={<TabSkeleton />} errorText={settingsMessages.organizationFailed} timeZone={orgTimezone}>
          {(found) => (settings.data ? <PaperCard organization={found} saved={settings.data.estimates} /> : settings.isPending && <TabSkeleton />)}
        </QueryBoundary>
      </div>
      <div className="grid min-w-0 gap-4">
        <QueryBoundary query={settings} skeleton={<TabSkeleton />} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
          {({ invoicing }) => <Suspense fallback={<TabSkeleton />}><InvoicingCard saved={invoicing} /></Suspense>}
        </QueryBoundary>
        <Suspense fallback={null}><CardPaymentsCard /></Suspense>
        <Suspense fallback={null}><PriceBookCard /></Suspense>
      </div>
    </div>
  )
}
