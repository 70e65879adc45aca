// Dashboard: the worklist first, today's visits and the figures beside it, on a phone below it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useAllReadyOrTimeout } from '@/lib/hooks/use-all-ready-or-timeout'
import { useDeferredMount } from '@/lib/hooks/use-deferred-mount'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { leadQueries } from '@/features/leads/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { Worklist, WorklistSkeleton } from '@/features/worklist/components/worklist'
import { worklistQueries } from '@/features/worklist/queries'
import { t } from '@/lib/i18n'
import { ErrorBoundary } from '@/ui/error-boundary'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { DashboardHeader } from './components/dashboard-header'
import { FiguresSkeleton, FiguresView } from './components/figures-view'
import { TodayJobs } from './components/today-jobs'
import { isNewBusiness } from './lib/is-new-business'
import { useMissingSteps } from './lib/use-missing-steps'
import { useTodaySchedule } from './lib/use-today-schedule'
import { dashboardMessages as texts } from './messages'
import { dashboardQueries } from './queries'

/** While something is missing, and of use with a connection. */
const SetupList = lazy(async () => ({ default: (await import('@/features/guided-start/setup-list')).SetupList }))

type PendingState = { isPending: boolean }

export function Component() {
  useDocumentTitle(t('Dashboard'))
  const { orgId } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  const setup = useMissingSteps()
  const { missing } = setup
  const isNew = kpis.data !== undefined && isNewBusiness(kpis.data) && missing.length > 0
  const setupList = missing.length > 0 && (
    <ErrorBoundary isPart>
      <Suspense fallback={<Skeleton className="h-64 w-full rounded-box" />}>
        <SetupList steps={missing} isNew={isNew} />
      </Suspense>
    </ErrorBoundary>
  )
  // Before the first figures, and for what is urgent, it comes first.
  const isSetupFirst = isNew || missing.some(({ isUrgent }) => isUrgent)
  const waiting: readonly PendingState[] = [
    kpis,
    setup,
    useTodaySchedule(),
    useInfiniteQuery(worklistQueries.list(orgId, 'next', 'all')),
    // They are above the list: coming after it they would push it down.
    useQuery(leadQueries.alertList(orgId)),
  ]
  const isShown = useAllReadyOrTimeout(waiting.every(({ isPending }) => !isPending))
  const isWide = useMediaQuery('(min-width: 80rem)', true)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DashboardHeader updatedAt={kpis.dataUpdatedAt} />
      {isSetupFirst && setupList}
      {/* The order in the page is the order in sight, for readers of the screen and for the keyboard too. */}
      {isShown && isWide && (
        <div className="grid grid-cols-[26rem_minmax(0,1fr)] items-start gap-6">
          <Worklist />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {!isSetupFirst && setupList}
            <TodayJobs />
            {!isNew && <Figures />}
          </div>
        </div>
      )}
      {isShown && !isWide && (
        <>
          <Worklist />
          {!isSetupFirst && setupList}
          <TodayJobs />
          {!isNew && <BelowFold />}
        </>
      )}
      {!isShown && (
        <div role="status" aria-label={t('Loading')}>
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
