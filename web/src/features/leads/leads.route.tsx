// The leads list: every request for work, newest first, new ones as they come in.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { formatCount } from '@/lib/format/number'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { InstallCard } from '@/pwa/install-card'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { ArrivalNews } from './components/arrival-news'
import { ExportButtons } from './components/export-buttons'
import { LeadsFound } from './components/leads-found'
import { ListSkeleton } from './components/list-skeleton'
import { OpenAlerts } from './components/open-alerts'
import { NoLeads } from './components/no-leads'
import { useArrivals } from './lib/use-arrivals'
import { useLeadList } from './lib/use-lead-list'
import { useTogether } from './lib/use-together'
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

const SEARCH_AFTER_MS = 250

/** The search box's text, kept in the address so that Back brings it again. */
function useSearchText() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const change = (next: string) => {
    setText(next)
    setParams(next.trim() === '' ? {} : { q: next.trim() }, { replace: true })
  }
  return [text, change] as const
}

export function Component() {
  useDocumentTitle('Leads')
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useSearchText()
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const list = useLeadList(orgId, q)
  const whole = useLeadList(orgId, '')
  const arrivals = useArrivals(whole.query.data?.leads)
  const arrivedIds = new Set(arrivals.map(({ id }) => id))
  const isSearch = q !== ''
  const alerts = useQuery(leadQueries.alertList(orgId))
  const isShown = useTogether(!alerts.isPending && (list.query.data !== undefined || list.query.error !== null))
  return (
    <div className="grid gap-4">
      <header className="flex flex-wrap items-center justify-between gap-x-3 sm:gap-x-6">
        <div className="contents sm:block">
          <h1 className="basis-full text-title">{leadsMessages.title}</h1>
          <p className="min-h-6 whitespace-nowrap text-muted tabular-nums max-sm:text-note">{list.total !== undefined && `Total leads: ${formatCount(list.total)}`}</p>
        </div>
        <ExportButtons q={q} />
      </header>
      <SearchBox label="Search leads by name, phone or service" placeholder="Name, phone or service" value={text} onChange={setText} />
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
    </div>
  )
}
