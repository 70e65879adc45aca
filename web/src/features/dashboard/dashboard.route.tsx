// Dashboard: figures first on desktops, attention items first on phones.
import { useQuery } from '@tanstack/react-query'
import { useAllReadyOrTimeout } from '@/lib/hooks/use-all-ready-or-timeout'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useDeferredMount } from '@/lib/hooks/use-deferred-mount'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { DashboardHeader } from './components/dashboard-header'
import { FiguresSkeleton, FiguresView } from './components/figures-view'
import { GettingStarted } from './components/getting-started'
import { NeedsAttention } from './components/needs-attention'
import { TodayJobs } from './components/today-jobs'
import { isNewBusiness } from './lib/is-new-business'
import { useOpenAlerts, useResponsePromises, useTodaySchedule, useUnansweredThreads } from './lib/use-attention-items'
import { dashboardMessages as texts } from './messages'
import { dashboardQueries } from './queries'

type PendingState = { isPending: boolean }

export function Component() {
  useDocumentTitle('Dashboard')
  const { orgId } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  const waiting: readonly PendingState[] = [
    kpis,
    useOpenAlerts(),
    useTodaySchedule(),
    useUnansweredThreads().query,
    useResponsePromises().query,
  ]
  const isShown = useAllReadyOrTimeout(waiting.every(({ isPending }) => !isPending))
  const isWide = useMediaQuery('(min-width: 80rem)', true)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DashboardHeader updatedAt={kpis.dataUpdatedAt} />
      {kpis.data && isNewBusiness(kpis.data) && <GettingStarted />}
      {/* The order in the page is the order in sight, for readers of the screen and for the keyboard too. */}
      {isShown && isWide && (
        <div className="grid grid-cols-[minmax(0,1fr)_22rem] items-start gap-4">
          <Figures />
          <Day />
        </div>
      )}
      {isShown && !isWide && (
        <>
          <Day />
          <BelowFold />
        </>
      )}
      {!isShown && (
        <div role="status" aria-label="Loading">
          <FiguresSkeleton />
        </div>
      )}
    </div>
  )
}

/** What waits for a person, and the visits of today. */
function Day() {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 md:max-xl:grid-cols-2">
      <NeedsAttention />
      <TodayJobs />
    </div>
  )
}

/** On a phone the figures stand below what waits, mostly out of sight: they need not hold it up. */
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
