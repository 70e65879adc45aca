// The dashboard: what the business is doing, in figures that open the rows they are made of. At a desk the figures come
// first; on a phone what waits for its owner, and the day.
import { useQuery } from '@tanstack/react-query'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useLater } from '@/lib/hooks/use-later'
import { useMedia } from '@/lib/hooks/use-media'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { DashboardHeader } from './components/dashboard-header'
import { FiguresSkeleton, FiguresView } from './components/figures-view'
import { FirstSteps } from './components/first-steps'
import { NeedsYou } from './components/needs-you'
import { TodayJobs } from './components/today-jobs'
import { isNew } from './lib/is-new'
import { useSettled } from './lib/use-settled'
import { useOpenAlerts, usePromises, useToday, useUnanswered } from './lib/use-waiting'
import { dashboardMessages as texts } from './messages'
import { dashboardQueries } from './queries'

type Waiting = { isPending: boolean }

export function Component() {
  useDocumentTitle('Dashboard')
  const { orgId } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  const waiting: readonly Waiting[] = [kpis, useOpenAlerts(), useToday(), useUnanswered().query, usePromises().query]
  const isShown = useSettled(waiting.every(({ isPending }) => !isPending))
  const isWide = useMedia('(min-width: 80rem)', true)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DashboardHeader updatedAt={kpis.dataUpdatedAt} />
      {kpis.data && isNew(kpis.data) && <FirstSteps />}
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
          <Below />
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
      <NeedsYou />
      <TodayJobs />
    </div>
  )
}

/** On a phone the figures stand below what waits, mostly out of sight: they need not hold it up. */
function Below() {
  return useLater() ? <Figures /> : <FiguresSkeleton />
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
