// Leads as a list or a board.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { parseLeadDrilldown, describeLeadDrilldown } from '@/domain/drilldown'
import { useDrilldown } from '@/domain/use-drilldown'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useOnline } from '@/lib/hooks/use-online'
import { useSearchText } from '@/lib/hooks/use-search-text'
import { InstallCard } from '@/pwa/install-card'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
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
import { useLeadFilters, type LeadFilterState } from './lib/use-lead-filters'
import { useLeadList } from './lib/use-lead-list'
import { useReadyOrTimeout } from './lib/use-ready-or-timeout'
import { useLeadsView } from './lib/use-leads-view'
import { describeLeadCount } from './lib/lead-count-text'
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

const LeadBoardView = lazy(async () => ({ default: (await import('./board/board-view')).LeadBoardView }))
// Without its code the list is shown as it is filtered.
const LeadFilterBar = lazy(() =>
  import('./filters/lead-filter-bar').then(
    (module) => ({ default: module.LeadFilterBar }),
    () => ({ default: () => null }),
  ),
)

const SEARCH_DEBOUNCE_MS = 250

type ViewProps = Omit<Parameters<typeof LeadsHeader>[0], 'total'>

export function Component() {
  useDocumentTitle(t('Leads'))
  const [text, setText] = useSearchText()
  const [view, setView] = useLeadsView()
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const { drilldown, clear } = useDrilldown(parseLeadDrilldown)
  const isBoard = view === 'board' && !drilldown
  const filterState = useLeadFilters(isBoard || drilldown !== undefined)
  const narrowing = { ...drilldown, ...filterState.filters }
  const headerProps = { q, text, onText: setText, view, onView: setView, drilldown, narrowing }
  const showAll = () => {
    filterState.forget()
    setText('', true)
  }
  // A board has all leads, whatever a figure counts.
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {isBoard ? (
        <BoardPage {...headerProps} />
      ) : (
        <ListPage {...headerProps} filterState={filterState} onClear={clear} onAll={showAll} />
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

type ListPageProps = ViewProps & { filterState: LeadFilterState; onClear: () => void; onAll: () => void }

function ListPage({ filterState, onClear, onAll, ...header }: ListPageProps) {
  const { q, drilldown } = header
  const { orgId, orgTimezone } = useCurrentUser()
  const isOnline = useOnline()
  const list = useLeadList(orgId, q, drilldown, filterState.filters)
  const arrivals = useNewLeads(list.loaded)
  const arrivedIds = new Set(arrivals.map(({ id }) => id))
  const isSearch = q !== ''
  const isNarrowed = isSearch || drilldown !== undefined || filterState.isNarrowed
  const alerts = useQuery(leadQueries.alertList(orgId))
  const isShown = useReadyOrTimeout(!alerts.isPending && (list.query.data !== undefined || list.query.error !== null))
  return (
    <>
      <LeadsHeader {...header} total={drilldown ? undefined : list.query.data?.total} />
      {!isOnline && filterState.isChanged && (
        <Button variant="secondary" icon="close" className="justify-self-start" onClick={filterState.clear}>
          {leadsMessages.clearFilters}
        </Button>
      )}
      {!drilldown && isOnline && (
        // As high as the bar, so that nothing moves when it comes.
        <div className="min-h-13">
          <Suspense fallback={null}>
            <LeadFilterBar state={filterState} leads={list.loaded ?? []} />
          </Suspense>
        </div>
      )}
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
          {t('What missed calls brought')}
        </Link>
      )}
      <NewLeadAnnouncer arrivals={arrivals} />
      {isShown && !drilldown && <OpenAlerts />}
      {/* Separate from the loading state, so that nothing moves. */}
      <div key={isShown ? 'leads' : 'waiting'}>
        <QueryBoundary
          query={isShown ? list.query : { ...list.query, data: undefined, error: null }}
          skeleton={<ListSkeleton />}
          errorText={leadsMessages.listFailed}
          timeZone={orgTimezone}
          isEmpty={({ total }) => total === 0 && !isNarrowed}
          empty={<NoLeads />}
        >
          {(rows) => (
            <LeadResults
              rows={rows}
              list={list}
              isSearch={isSearch}
              drilldown={drilldown}
              filterState={filterState}
              onClear={onAll}
              arrivals={arrivedIds}
              timeZone={orgTimezone}
            />
          )}
        </QueryBoundary>
      </div>
      {isShown && !isNarrowed && (list.query.data?.total ?? 0) > 0 && <InstallCard />}
    </>
  )
}
