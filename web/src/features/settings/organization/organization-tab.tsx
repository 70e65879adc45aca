// The business itself: who it is, when it is open, who is told of what.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '@/app/paths'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { BusinessCard } from './business-card'
import { PushCard } from './push-card'
import { RecipientsCard } from './recipients-card'

// What is not in sight at first comes after what is; crews belong to the jobs.
const HoursCard = lazy(async () => ({ default: (await import('./hours-card')).HoursCard }))
const NotificationsCard = lazy(async () => ({ default: (await import('./notifications-card')).NotificationsCard }))
const BookingCard = lazy(async () => ({ default: (await import('./booking-card')).BookingCard }))
const PeopleCard = lazy(async () => ({ default: (await import('@/features/crew/people/people-card')).PeopleCard }))
const CrewsCard = lazy(async () => ({ default: (await import('@/features/jobs/crews/crews-card')).CrewsCard }))

export function OrganizationTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const organization = useQuery(settingsQueries.organization(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <QueryBoundary query={organization} skeleton={<TabSkeleton />} errorText={settingsMessages.organizationFailed} timeZone={orgTimezone}>
          {(found) => <BusinessCard organization={found} />}
        </QueryBoundary>
        <QueryBoundary query={settings} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
          {({ hours }) => <Suspense fallback={<TabSkeleton />}><HoursCard saved={{ ...hours, closedDates: hours.closedDates ?? [] }} /></Suspense>}
        </QueryBoundary>
        {settings.data && <Suspense fallback={null}><BookingCard saved={settings.data} /></Suspense>}
        <p className="text-note text-muted">Estimates, invoices, card payments and the price book are under <Link to={paths.settings('money')} replace className="text-link inline-flex min-h-6 items-center">Money</Link>.</p>
      </div>
      <div className="grid min-w-0 gap-4">
        <PushCard />
        <QueryBoundary query={settings} skeleton={<TabSkeleton />} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
          {({ recipients, notifications }) => (
            <>
              <RecipientsCard recipients={recipients} />
              <Suspense fallback={<TabSkeleton />}><NotificationsCard saved={notifications} /></Suspense>
            </>
          )}
        </QueryBoundary>
        <Suspense fallback={null}><PeopleCard /></Suspense>
        <Suspense fallback={null}><CrewsCard /></Suspense>
      </div>
    </div>
  )
}
