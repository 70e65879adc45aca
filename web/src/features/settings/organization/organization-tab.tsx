import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SectionNav, SectionAnchor } from '../components/section-nav'
import { TabSkeleton } from '../components/tab-skeleton'
import { focusElement } from '../lib/focus-element'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { BusinessCard } from './business-card'

// Lazy: initially out of view; crews belong to the jobs.
const SendingNumberCard = lazy(async () => ({ default: (await import('./sending-number-card')).SendingNumberCard }))
const BusinessHoursCard = lazy(async () => ({ default: (await import('./business-hours-card')).BusinessHoursCard }))
const BookingCard = lazy(async () => ({ default: (await import('./booking-card')).BookingCard }))
const PeopleCard = lazy(async () => ({ default: (await import('@/features/people/people-card')).PeopleCard }))
const LeadOwnersCard = lazy(async () => ({ default: (await import('./lead-owners-card')).LeadOwnersCard }))
const CrewsCard = lazy(async () => ({ default: (await import('@/features/jobs/crews/crews-card')).CrewsCard }))
const PushCard = lazy(async () => ({ default: (await import('./push-card')).PushCard }))
const RecipientsCard = lazy(async () => ({ default: (await import('./recipients-card')).RecipientsCard }))
const NotificationsCard = lazy(async () => ({ default: (await import('./notifications-card')).NotificationsCard }))

const SECTIONS = [
  { id: 'texting', label: 'Texting number' },
  { id: 'hours', label: 'Hours' },
  { id: 'booking', label: 'Online booking' },
  { id: 'people', label: 'People' },
  { id: 'lead-owners', label: 'New requests' },
  { id: 'crews', label: 'Crews' },
  { id: 'alerts', label: 'Alerts' },
  { id: 'told', label: 'Recipients' },
]

export function OrganizationTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const organization = useQuery(settingsQueries.organization(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  const { hash } = useLocation()
  // A link may lead to one card.
  useEffect(() => {
    if (hash && organization.isSuccess) focusElement(hash.slice(1))
  }, [hash, organization.isSuccess])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <SectionNav stops={SECTIONS} />
      <p className="text-note text-muted">
        Estimates, invoices, card payments and the price book are under{' '}
        <Link to={paths.settings('money')} replace className="text-link inline-flex min-h-6 items-center">
          Money
        </Link>
        .
      </p>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <QueryBoundary
            query={organization}
            skeleton={<TabSkeleton />}
            errorText={settingsMessages.organizationFailed}
            timeZone={orgTimezone}
          >
            {(found) => <BusinessCard organization={found} />}
          </QueryBoundary>
          <SectionAnchor id="texting">
            <Suspense fallback={<TabSkeleton />}>
              <SendingNumberCard />
            </Suspense>
          </SectionAnchor>
          <QueryBoundary query={settings} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
            {({ hours }) => (
              <SectionAnchor id="hours">
                <Suspense fallback={<TabSkeleton />}>
                  <BusinessHoursCard saved={{ ...hours, closedDates: hours.closedDates ?? [] }} />
                </Suspense>
              </SectionAnchor>
            )}
          </QueryBoundary>
          {settings.data && (
            <SectionAnchor id="booking">
              <Suspense fallback={null}>
                <BookingCard saved={settings.data} />
              </Suspense>
            </SectionAnchor>
          )}
        </div>
        <div className="grid min-w-0 gap-4">
          <SectionAnchor id="people">
            <Suspense fallback={null}>
              <PeopleCard />
            </Suspense>
          </SectionAnchor>
          {settings.data && (
            <SectionAnchor id="lead-owners">
              <Suspense fallback={null}>
                <LeadOwnersCard saved={settings.data.leadOwners} />
              </Suspense>
            </SectionAnchor>
          )}
          <SectionAnchor id="crews">
            <Suspense fallback={null}>
              <CrewsCard />
            </Suspense>
          </SectionAnchor>
          <SectionAnchor id="alerts">
            <Suspense fallback={<TabSkeleton />}>
              <PushCard />
            </Suspense>
          </SectionAnchor>
          <QueryBoundary
            query={settings}
            skeleton={<TabSkeleton />}
            errorText={settingsMessages.settingsFailed}
            timeZone={orgTimezone}
          >
            {({ recipients, notifications }) => (
              <>
                <SectionAnchor id="told">
                  <Suspense fallback={<TabSkeleton />}>
                    <RecipientsCard recipients={recipients} />
                  </Suspense>
                </SectionAnchor>
                <Suspense fallback={<TabSkeleton />}>
                  <NotificationsCard saved={notifications} />
                </Suspense>
              </>
            )}
          </QueryBoundary>
        </div>
      </div>
    </div>
  )
}
