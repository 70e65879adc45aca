// Lead list: loaded rows at once and offline, then the server's answer.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { NetworkError } from '@/api/client'
import type { LeadDrilldown } from '@/domain/drilldown'
import type { LeadSummary } from '@/domain/lead'
import type { ListTotal } from '@/lib/list-total'
import type { QueryLike } from '@/ui/query-boundary'
import { leadQueries, type LeadPage } from '../queries'
import { filterLeads, hasFilters, type LeadFilters } from './lead-filters'
import { matchesSearch } from './matches-search'

export type LeadRows = ListTotal & { leads: LeadSummary[] }

export type LeadList = {
  query: QueryLike<LeadRows>
  /** The leads of the org that this device has, whatever is searched. */
  loaded: readonly LeadSummary[] | undefined
  /** Shows the device's copy until the response for this search. */
  isLocal: boolean
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
}

function toRows(pages: readonly LeadPage[]): LeadRows {
  // A new lead between two fetches shifts the pages: duplicates are dropped.
  const byId = new Map(pages.flatMap((page) => page.leads).map((lead) => [lead.id, lead]))
  const { leads: _first, cursor: _next, ...totals } = pages[0] ?? { leads: [], cursor: null, total: 0 }
  return { leads: [...byId.values()], ...totals }
}

/** The org's leads that match `q` and the filters, all of them without any; or those that a figure counts. */
export function useLeadList(
  orgId: string,
  q: string,
  drilldown: LeadDrilldown | undefined,
  filters: LeadFilters,
): LeadList {
  const isFigure = drilldown !== undefined
  const isSearch = q !== '' || isFigure || hasFilters(filters)
  const all = useInfiniteQuery(leadQueries.list(orgId, ''))
  const found = useInfiniteQuery({ ...leadQueries.list(orgId, q, { ...drilldown, ...filters }), enabled: isSearch })
  const allRows = useMemo(() => all.data && toRows(all.data.pages), [all.data])
  const foundRows = useMemo(() => found.data && toRows(found.data.pages), [found.data])
  const localRows = useMemo(() => {
    // What a figure counts only the server knows.
    if (isFigure || !allRows) return
    const leads = filterLeads(
      allRows.leads.filter((lead) => matchesSearch(lead, q)),
      filters,
    )
    return { leads, total: leads.length }
  }, [allRows, q, filters, isFigure])

  const source = isSearch ? found : all
  const isUnreachable = found.error instanceof NetworkError
  const isLocal = isSearch && !foundRows && localRows !== undefined && (isUnreachable || localRows.leads.length > 0)
  const data = isSearch ? (foundRows ?? (isLocal ? localRows : undefined)) : allRows
  return {
    query: {
      data,
      error: source.error,
      isFetching: source.isFetching,
      dataUpdatedAt: isLocal ? all.dataUpdatedAt : source.dataUpdatedAt,
      refetch: () => void source.refetch(),
    },
    loaded: allRows?.leads,
    isLocal,
    hasMore: !isLocal && source.hasNextPage,
    isLoadingMore: source.isFetchingNextPage,
    loadMore: () => void source.fetchNextPage(),
  }
}
