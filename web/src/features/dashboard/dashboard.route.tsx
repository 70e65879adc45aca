// Dashboard: the worklist first, today's visits and the figures beside it, on a phone below it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useAllReadyOrTimeout } from '@/lib/hooks/use-all-ready-or-timeout'
import { useDeferredMount } from '@/lib/hooks/use-deferred-mount'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useOnline } from '@/lib/hooks/use-online'
import { leadQueries } from '@/features/leads/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { Worklist, WorklistSkeleton } from '@/features/worklist/components/worklist'
import { worklistQueries } from '@/features/worklist/queries'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { DashboardHeader } from './components/dashboard-header'
import { FiguresSkeleton, FiguresView } from './components/figures-view'
import { TodayJobs } from './components/today-jobs'
import { isNewBusiness } from './lib/is-new-business'
import { useTodaySchedule } from './lib/use-today-schedule'
import { dashboardMessages as texts } from './messages'
import { dashboardQueries } from './queries'

/** For new businesses only, and of use with a connection. */
const GettingStarted = lazy(async () => ({
  default: (await import('./components/getting-started')).GettingStarted,
}))

type PendingState = { isPending: boolean }

export function Component() {
  useDocumentTitle('Dashboard')
  const { orgId } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  const waiting: readonly PendingState[] = [
    kpis,
    useTodaySchedule(),
    useInfiniteQuery(worklistQueries.list(orgId, 'next', 'all')),
    // They are above the list: coming after it they would push it down.
    useQuery(leadQueries.alertList(orgId)),
  ]
  const isShown = useAllReadyOrTimeout(waiting.every(({ isPending }) => !isPending))
  const isOnline = useOnline()
  const isWide = useMediaQuery('(min-width: 80rem)', true)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DashboardHeader updatedAt={kpis.dataUpdatedAt} />
      {isOnline && kpis.data && isNewBusiness(kpis.data) && (
        <Suspense fallback={<Skeleton className="h-64 w-full rounded-box" />}>
          <GettingStarted />
        </Suspense>
      )}
      {/* The order in the page is the order in sight, for readers of the screen and for the keyboard too. */}
      {isShown && isWide && (
        <div className="grid grid-cols-[26rem_minmax(0,1fr)] items-start gap-6">
          <Worklist />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <TodayJobs />
            <Figures />
          </div>
        </div>
      )}
      {isShown && !isWide && (
        <>
          <Worklist />
          <TodayJobs />
          <BelowFold />
        </>
      )}
      {!isShown && (
        <div role="status" aria-label="Loading">
          <WorklistSkeleton />
        </div>
      )}
    </div>
  )
}

/** On a phone the figures are below what waits, mostly out of sight: they need not hold it up. */
function BelowFold() {
  return useDeferredMount() ? <Figures /> : <FiguresSkeleton />
}

function Figures() {
  const { orgId, orgTimezone } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  // They only shape the tiles: where they are missing, every figure is there all the same.
  const { data: days = [] } = useQuery(dashboardQueries.days(orgId))
  return (
    <div>
      <QueryBoundary
        query={kpis}
        skeleton={<FiguresSkeleton />}
        errorText={texts.failed}
        timeZone={orgTimezone}
        saysOffline
      >
        {(figures) => <FiguresView figures={figures} days={days} />}
      </QueryBoundary>
    </div>
  )
}
