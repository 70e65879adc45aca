// How the business is paid: what its papers say, when its invoices are due, cards, and its prices.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { JumpList, Place } from '../components/jump-list'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { PaperCard } from '../papers/paper-card'
import { settingsQueries } from '../queries'

// What is not in sight at first comes after what is.
const InvoicingCard = lazy(async () => ({ default: (await import('../papers/invoicing-card')).InvoicingCard }))
const CardPaymentsCard = lazy(async () => ({ default: (await import('../cards/card-payments-card')).CardPaymentsCard }))
const FiguresCard = lazy(async () => ({ default: (await import('../figures/figures-card')).FiguresCard }))
const PriceBookCard = lazy(async () => ({ default: (await import('../price-book/price-book-card')).PriceBookCard }))

const STOPS = [
  { id: 'papers', label: 'Estimates' },
  { id: 'prices', label: 'Price book' },
  { id: 'invoicing', label: 'Invoices' },
  { id: 'cards', label: 'Cards' },
  { id: 'figures', label: 'Figures' },
]

export function MoneyTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const organization = useQuery(settingsQueries.organization(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <JumpList stops={STOPS} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <Place id="papers">
            <QueryBoundary
              query={organization}
              skeleton={<TabSkeleton />}
              errorText={settingsMessages.organizationFailed}
              timeZone={orgTimezone}
            >
              {(found) =>
                settings.data ? (
                  <PaperCard organization={found} saved={settings.data.estimates} />
                ) : (
                  settings.isPending && <TabSkeleton />
                )
              }
            </QueryBoundary>
          </Place>
          <Place id="prices">
            <Suspense fallback={null}>
              <PriceBookCard />
            </Suspense>
          </Place>
        </div>
        <div className="grid min-w-0 gap-4">
          <Place id="invoicing">
            <QueryBoundary
              query={settings}
              skeleton={<TabSkeleton />}
              errorText={settingsMessages.settingsFailed}
              timeZone={orgTimezone}
            >
              {({ invoicing }) => (
                <Suspense fallback={<TabSkeleton />}>
                  <InvoicingCard saved={invoicing} />
                </Suspense>
              )}
            </QueryBoundary>
          </Place>
          <Place id="cards">
            <Suspense fallback={null}>
              <CardPaymentsCard />
            </Suspense>
          </Place>
          {settings.data && (
            <Place id="figures">
              <Suspense fallback={null}>
                <FiguresCard saved={settings.data.figures} />
              </Suspense>
            </Place>
          )}
        </div>
      </div>
    </div>
  )
}
