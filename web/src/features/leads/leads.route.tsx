// The leads: every request for work, as a list with the newest first, or as a board by how far each has come.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { InstallCard } from '@/pwa/install-card'
import { useCurrentUser } from '@/session/use-session'
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
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

const BoardView = lazy(async () => ({ default: (await import('./board/board-view')).BoardView }))

const SEARCH_AFTER_MS = 250

/** The search box's text, kept in the address so that Back brings it again. */
function useSearchText() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const change = (next: string) => {
    setText(next)
    setParams((before) => {
      if (next.trim() === '') before.delete('q')
      else before.set('q', next.trim())
      return before
    }, { replace: true })
  }
  return [text, change] as const
}

type ViewProps = Omit<Parameters<typeof LeadsHeader>[0], 'total'>

export function Component() {
  useDocumentTitle('Leads')
  const [text, setText] = useSearchText()
  const [view, setView] = useView()
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const shown = { q, text, onText: setText, view, onView: setView }
  return <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{view === 'board' ? <AsBoard {...shown} /> : <AsList {...shown} />}</div>
}

function AsBoard(header: ViewProps) {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(boardQueries.board(orgId, ''))
  return (
    <>
      <LeadsHeader {...header} total={data?.reduce((sum, { count }) => sum + count, 0)} />
      <OpenAlerts />
      <Suspense fallback={<ListSkeleton />}><BoardView q={header.q} /></Suspense>
    </>
  )
}

function AsList(header: ViewProps) {
  const { q } = header
  const { orgId, orgTimezone } = useCurrentUser()
  const list = useLeadList(orgId, q)
  const whole = useLeadList(orgId, '')
  const arrivals = useArrivals(whole.query.data?.leads)
  const arrivedIds = new Set(arrivals.map(({ id }) => id))
  const isSearch = q !== ''
  const alerts = useQuery(leadQueries.alertList(orgId))
  const isShown = useTogether(!alerts.isPending && (list.query.data !== undefined || list.query.error !== null))
  return (
    <>
      <LeadsHeader {...header} total={list.total} />
      <ArrivalNews arrivals={arrivals} />
      {isShown && <OpenAlerts />}
      {isShown && list.total !== undefined && list.total > 0 && <InstallCard />}
      <div>
        <QueryBoundary
          query={isShown ? list.query : { ...list.query, data: undefined, error: null }}
          skeleton={<ListSkeleton />}
          errorText={leadsMessages.listFailed}
          timeZone={orgTimezone}
          isEmpty={({ total }) => total === 0 && !isSearch}
          empty={<NoLeads />}
        >
          {(rows) => <LeadsFound rows={rows} list={list} isSearch={isSearch} arrivals={arrivedIds} timeZone={orgTimezone} />}
        </QueryBoundary>
      </div>
    </>
  )
}
