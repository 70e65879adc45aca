import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SectionNav, SectionAnchor } from '../components/section-nav'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { EstimateSettingsCard } from '../documents/estimate-settings-card'
import { settingsQueries } from '../queries'

// Lazy: initially out of view.
const InvoiceSettingsCard = lazy(async () => ({
  default: (await import('../documents/invoice-settings-card')).InvoiceSettingsCard,
}))
const CardPaymentsCard = lazy(async () => ({ default: (await import('../cards/card-payments-card')).CardPaymentsCard }))
const FigureSettingsCard = lazy(async () => ({
  default: (await import('../figures/figure-settings-card')).FigureSettingsCard,
}))
const PriceBookCard = lazy(async () => ({ default: (await import('../price-book/price-book-card')).PriceBookCard }))

const SECTIONS = [
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
      <SectionNav stops={SECTIONS} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <SectionAnchor id="papers">
            <QueryBoundary
              query={organization}
              skeleton={<TabSkeleton />}
              errorText={settingsMessages.organizationFailed}
              timeZone={orgTimezone}
            >
              {(found) =>
                settings.data ? (
                  <EstimateSettingsCard organization={found} saved={settings.data.estimates} />
                ) : (
                  settings.isPending && <TabSkeleton />
                )
              }
            </QueryBoundary>
          </SectionAnchor>
          <SectionAnchor id="prices">
            <Suspense fallback={null}>
              <PriceBookCard />
            </Suspense>
          </SectionAnchor>
        </div>
        <div className="grid min-w-0 gap-4">
          <SectionAnchor id="invoicing">
            <QueryBoundary
              query={settings}
              skeleton={<TabSkeleton />}
              errorText={settingsMessages.settingsFailed}
              timeZone={orgTimezone}
            >
              {({ invoicing }) => (
                <Suspense fallback={<TabSkeleton />}>
                  <InvoiceSettingsCard saved={invoicing} />
                </Suspense>
              )}
            </QueryBoundary>
          </SectionAnchor>
          <SectionAnchor id="cards">
            <Suspense fallback={null}>
              <CardPaymentsCard />
            </Suspense>
          </SectionAnchor>
          {settings.data && (
            <SectionAnchor id="figures">
              <Suspense fallback={null}>
                <FigureSettingsCard saved={settings.data.figures} />
              </Suspense>
            </SectionAnchor>
          )}
        </div>
      </div>
    </div>
  )
}
