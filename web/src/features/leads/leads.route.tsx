// Leads as a list or a board.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { parseLeadDrilldown, describeLeadDrilldown } from '@/domain/drilldown'
import { useDrilldown } from '@/domain/use-drilldown'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useSearchText } from '@/lib/hooks/use-search-text'
import { InstallCard } from '@/pwa/install-card'
import { useCurrentUser } from '@/features/session/use-session'
import { FilterBanner } from '@/ui/filter-banner'
import { QueryBoundary } from '@/ui/query-boundary'
import { boardQueries } from './board/queries'
import { NewLeadAnnouncer } from './components/new-lead-announcer'
import { LeadResults } from './components/lead-results'
import { LeadsHeader } from './components/leads-header'
import { ListSkeleton } from './components/list-skeleton'
import { NoLeads } from './components/no-leads'
import { OpenAlerts } from './components/open-alerts'
import { useNewLeads } from './lib/use-new-leads'
import { useLeadList } from './lib/use-lead-list'
import { useReadyOrTimeout } from './lib/use-ready-or-timeout'
import { useLeadsView } from './lib/use-leads-view'
import { describeLeadCount } from './lib/lead-count-text'
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

const LeadBoardView = lazy(async () => ({ default: (await import('./board/board-view')).LeadBoardView }))

const SEARCH_DEBOUNCE_MS = 250

type ViewProps = Omit<Parameters<typeof LeadsHeader>[0], 'total'>

export function Component() {
  useDocumentTitle('Leads')
  const [text, setText] = useSearchText()
  const [view, setView] = useLeadsView()
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const { drilldown, clear } = useDrilldown(parseLeadDrilldown)
  const headerProps = { q, text, onText: setText, view, onView: setView, drilldown }
  // A board has all leads, whatever a figure counts.
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {view === 'board' && !drilldown ? (
        <BoardPage {...headerProps} />
      ) : (
        <ListPage {...headerProps} onClear={clear} onAll={() => setText('', true)} />
      )}
    </div>
  )
}

function BoardPage(header: ViewProps) {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(boardQueries.board(orgId, ''))
  return (
    <>
      <LeadsHeader {...header} total={data?.reduce((sum, { count }) => sum + count, 0)} />
      <OpenAlerts />
      <Suspense fallback={<ListSkeleton />}>
        <LeadBoardView q={header.q} />
      </Suspense>
    </>
  )
}

function ListPage({ onClear, onAll, ...header }: ViewProps & { onClear: () => void; onAll: () => void }) {
  const { q, drilldown } = header
  const { orgId, orgTimezone } = useCurrentUser()
  const list = useLeadList(orgId, q, drilldown)
  const whole = useLeadList(orgId, '')
  const arrivals = useNewLeads(whole.query.data?.leads)
  const arrivedIds = new Set(arrivals.map(({ id }) => id))
  const isSearch = q !== ''
  const alerts = useQuery(leadQueries.alertList(orgId))
  const isShown = useReadyOrTimeout(!alerts.isPending && (list.query.data !== undefined || list.query.error !== null))
  return (
    <>
      <LeadsHeader {...header} total={drilldown ? undefined : list.total} />
      {drilldown && (
        <FilterBanner
          label={describeLeadDrilldown(drilldown)}
          countText={list.query.data && describeLeadCount(drilldown, list.query.data)}
          onClear={onClear}
        />
      )}
      {drilldown?.calls && (
        <Link
          to={`${paths.recovered}?from=${drilldown.from}&to=${drilldown.to}&category=missed_call`}
          className="text-link inline-flex min-h-11 items-center justify-self-start"
        >
          What missed calls brought
        </Link>
      )}
      <NewLeadAnnouncer arrivals={arrivals} />
      {isShown && !drilldown && <OpenAlerts />}
      {isShown && !drilldown && list.total !== undefined && list.total > 0 && <InstallCard />}
      {/* Separate from the loading state, so that nothing moves. */}
      <div key={isShown ? 'leads' : 'waiting'}>
        <QueryBoundary
          query={isShown ? list.query : { ...list.query, data: undefined, error: null }}
          skeleton={<ListSkeleton />}
          errorText={leadsMessages.listFailed}
          timeZone={orgTimezone}
          isEmpty={({ total }) => total === 0 && !isSearch && !drilldown}
          empty={<NoLeads />}
        >
          {(rows) => (
            <LeadResults
              rows={rows}
              list={list}
              isSearch={isSearch}
              drilldown={drilldown}
              onClear={onAll}
              arrivals={arrivedIds}
              timeZone={orgTimezone}
            />
          )}
        </QueryBoundary>
      </div>
    </>
  )
}
