import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { useAllReadyOrTimeout } from '@/lib/hooks/use-all-ready-or-timeout'
import { paths } from '@/lib/paths'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SectionNav, SectionAnchor } from '../components/section-nav'
import { TabSkeleton } from '../components/tab-skeleton'
import { focusElement } from '../lib/focus-element'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import type { Organization, Settings } from '../types'
import { BusinessCard } from './business-card'

// Lazy: initially out of view; crews belong to the jobs.
const SendingNumberCard = lazy(async () => ({ default: (await import('./sending-number-card')).SendingNumberCard }))
const LookCard = lazy(async () => ({ default: (await import('./look-card')).LookCard }))
const BusinessHoursCard = lazy(async () => ({ default: (await import('./business-hours-card')).BusinessHoursCard }))
const BookingCard = lazy(async () => ({ default: (await import('./booking-card')).BookingCard }))
const PeopleCard = lazy(async () => ({ default: (await import('@/features/people/people-card')).PeopleCard }))
const LeadOwnersCard = lazy(async () => ({ default: (await import('./lead-owners-card')).LeadOwnersCard }))
const CrewsCard = lazy(async () => ({ default: (await import('@/features/jobs/crews/crews-card')).CrewsCard }))
const PushCard = lazy(async () => ({ default: (await import('./push-card')).PushCard }))
const RecipientsCard = lazy(async () => ({ default: (await import('./recipients-card')).RecipientsCard }))
const NotificationsCard = lazy(async () => ({ default: (await import('./notifications-card')).NotificationsCard }))

const SECTIONS = [
  { id: 'look', label: 'Look' },
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
  const { orgId, role } = useCurrentUser()
  const organization = useQuery(settingsQueries.organization(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  const people = useQuery(peopleQueries.team(orgId))
  const crews = useQuery(peopleQueries.crews(orgId))
  const invites = useQuery({ ...peopleQueries.invites(orgId), enabled: role === 'owner' })
  // The cards appear together: one that grows later would move the buttons below it under a thumb.
  const isShown = useAllReadyOrTimeout(
    [organization, settings, people, crews, invites].every((query) => !query.isLoading),
  )
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
      {isShown ? (
        <Suspense fallback={<TabSkeleton />}>
          <OrganizationCards organization={organization} settings={settings} />
        </Suspense>
      ) : (
        <TabSkeleton />
      )}
    </div>
  )
}

type OrganizationCardsProps = {
  organization: UseQueryResult<Organization>
  settings: UseQueryResult<Settings>
}

function OrganizationCards({ organization, settings }: OrganizationCardsProps) {
  const { orgTimezone } = useCurrentUser()
  const { hash } = useLocation()
  // A link may lead to one card. Most cards are there once the settings are.
  useEffect(() => {
    if (hash && settings.isSuccess) focusElement(hash.slice(1))
  }, [hash, settings.isSuccess])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <QueryBoundary query={organization} errorText={settingsMessages.organizationFailed} timeZone={orgTimezone}>
          {(found) => <BusinessCard organization={found} />}
        </QueryBoundary>
        {organization.data && settings.data && (
          <SectionAnchor id="look">
            <LookCard organization={organization.data} saved={settings.data.look} />
          </SectionAnchor>
        )}
        <SectionAnchor id="texting">
          <SendingNumberCard />
        </SectionAnchor>
        <QueryBoundary query={settings} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
          {({ hours }) => (
            <SectionAnchor id="hours">
              <BusinessHoursCard saved={{ ...hours, closedDates: hours.closedDates ?? [] }} />
            </SectionAnchor>
          )}
        </QueryBoundary>
        {settings.data && (
          <SectionAnchor id="booking">
            <BookingCard saved={settings.data} />
          </SectionAnchor>
        )}
      </div>
      <div className="grid min-w-0 gap-4">
        <SectionAnchor id="people">
          <PeopleCard />
        </SectionAnchor>
        {settings.data && (
          <SectionAnchor id="lead-owners">
            <LeadOwnersCard saved={settings.data.leadOwners} />
          </SectionAnchor>
        )}
        <SectionAnchor id="crews">
          <CrewsCard />
        </SectionAnchor>
        <SectionAnchor id="alerts">
          <PushCard />
        </SectionAnchor>
        <QueryBoundary query={settings} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
          {({ recipients, notifications }) => (
            <>
              <SectionAnchor id="told">
                <RecipientsCard recipients={recipients} />
              </SectionAnchor>
              <NotificationsCard saved={notifications} />
            </>
          )}
        </QueryBoundary>
      </div>
    </div>
  )
}
