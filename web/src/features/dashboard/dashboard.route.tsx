// The dashboard: what the business is doing, in figures that open the rows they are made of.
import { useQuery } from '@tanstack/react-query'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { DashboardHeader } from './components/dashboard-header'
import { FiguresSkeleton, FiguresView } from './components/figures-view'
import { dashboardMessages as texts } from './messages'
import { dashboardQueries } from './queries'

export function Component() {
  useDocumentTitle('Dashboard')
  const { orgId, orgTimezone } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  // They only shape the tiles: where they are missing, every figure is there all the same.
  const { data: days = [] } = useQuery(dashboardQueries.days(orgId))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DashboardHeader updatedAt={kpis.dataUpdatedAt} />
      <div>
        <QueryBoundary query={kpis} skeleton={<FiguresSkeleton />} errorText={texts.failed} timeZone={orgTimezone} saysOffline>
          {(figures) => <FiguresView figures={figures} days={days} />}
        </QueryBoundary>
      </div>
    </div>
  )
}
