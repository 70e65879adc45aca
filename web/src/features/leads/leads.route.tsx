// The leads: every request for work, as a list with the newest first, or as a board by how far each has come.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { leadsBehindIn, leadsBehindWords } from '@/domain/behind'
import { useBehind } from '@/domain/use-behind'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useSearchText } from '@/lib/hooks/use-search-text'
import { InstallCard } from '@/pwa/install-card'
import { useCurrentUser } from '@/session/use-session'
import { Narrowed } from '@/ui/narrowed'
import { QueryBoundary } from '@/ui/query-boundary'
import { boardQueries } from './board/queries'
import { ArrivalNews } from './components/arrival-news'
import { LeadsFound } from './components/leads-found'
import { LeadsHeader } from './components/leads-header'
import { ListSkeleton } from './components/list-skeleton'
import { NoLeads } from './components/no-leads'
import { OpenAlerts } from './components/open-alerts'
import { useArrivals } from './lib/use-arrivals'
import { useLeadList } from './lib/use-lead-list'
import { useTogether } from './lib/use-together'
import { useView } from './lib/use-view'
import { foundWords } from './lib/found-words'
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

const BoardView = lazy(async () => ({ default: (await import('./board/board-view')).BoardView }))

const SEARCH_AFTER_MS = 250

type ViewProps = Omit<Parameters<typeof LeadsHeader>[0], 'total'>

export function Component() {
  useDocumentTitle('Leads')
  const [text, setText] = useSearchText()
  const [view, setView] = useView()
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const { behind, clear } = useBehind(leadsBehindIn)
  const shown = { q, text, onText: setText, view, onView: setView, behind }
  // A board has all leads, whatever a figure counts.
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {view === 'board' && !behind ? (
        <AsBoard {...shown} />
      ) : (
        <AsList {...shown} onClear={clear} onAll={() => setText('', true)} />
      )}
    </div>
  )
}

function AsBoard(header: ViewProps) {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(boardQueries.board(orgId, ''))
  return (
    <>
      <LeadsHeader {...header} total={data?.reduce((sum, { count }) => sum + count, 0)} />
      <OpenAlerts />
      <Suspense fallback={<ListSkeleton />}>
        <BoardView q={header.q} />
      </Suspense>
    </>
  )
}

function AsList({ onClear, onAll, ...header }: ViewProps & { onClear: () => void; onAll: () => void }) {
  const { q, behind } = header
  const { orgId, orgTimezone } = useCurrentUser()
  const list = useLeadList(orgId, q, behind)
  const whole = useLeadList(orgId, '')
  const arrivals = useArrivals(whole.query.data?.leads)
  const arrivedIds = new Set(arrivals.map(({ id }) => id))
  const isSearch = q !== ''
  const alerts = useQuery(leadQueries.alertList(orgId))
  const isShown = useTogether(!alerts.isPending && (list.query.data !== undefined || list.query.error !== null))
  return (
    <>
      <LeadsHeader {...header} total={behind ? undefined : list.total} />
      {behind && (
        <Narrowed
          words={leadsBehindWords(behind)}
          found={list.query.data && foundWords(behind, list.query.data)}
          onClear={onClear}
        />
      )}
      {behind?.calls && (
        <Link
          to={`${paths.recovered}?from=${behind.from}&to=${behind.to}&category=missed_call`}
          className="text-link inline-flex min-h-11 items-center justify-self-start"
        >
          What missed calls brought
        </Link>
      )}
      <ArrivalNews arrivals={arrivals} />
      {isShown && !behind && <OpenAlerts />}
      {isShown && !behind && list.total !== undefined && list.total > 0 && <InstallCard />}
      {/* Another place than that of what was waited for: nothing moves, the one goes and the other comes. */}
      <div key={isShown ? 'leads' : 'waiting'}>
        <QueryBoundary
          query={isShown ? list.query : { ...list.query, data: undefined, error: null }}
          skeleton={<ListSkeleton />}
          errorText={leadsMessages.listFailed}
          timeZone={orgTimezone}
          isEmpty={({ total }) => total === 0 && !isSearch && !behind}
          empty={<NoLeads />}
        >
          {(rows) => (
            <LeadsFound
              rows={rows}
              list={list}
              isSearch={isSearch}
              behind={behind}
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
