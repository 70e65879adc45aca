// Worklist queries. Polling covers changes without a live event: a promise that is due, a snooze that ends.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { worklistKey } from '@/domain/query-keys'
import { readListTotal } from '@/lib/list-total'
import { parseNextCursor } from '@/lib/next-cursor'
import type { WorkAssignee, WorkItem, WorkView } from './types'

export type WorkPage = { items: WorkItem[]; total: number; cursor: string | null }

const POLL_MS = 120_000
/** The first page fills a screen; later ones are long, so that a refresh of a long list needs few requests. */
const PAGE_SIZE = { first: 20, later: 100 } as const

async function fetchPage(
  view: WorkView,
  assignee: WorkAssignee,
  cursor: string | null,
  signal: AbortSignal,
): Promise<WorkPage> {
  const query = {
    view,
    assignee,
    limit: cursor === null ? PAGE_SIZE.first : PAGE_SIZE.later,
    ...(cursor === null ? {} : { cursor }),
  }
  const { data, response } = await unwrapWithResponse(api.GET('/api/worklist', { params: { query }, signal }))
  return {
    items: data,
    total: readListTotal(response, data.length).total,
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

export const worklistQueries = {
  all: worklistKey,
  lists: (orgId: string) => [...worklistKey(orgId), 'list'] as const,
  /** Both lists of a view: everybody's and one's own. */
  view: (orgId: string, view: WorkView) => [...worklistQueries.lists(orgId), view] as const,
  list: (orgId: string, view: WorkView, assignee: WorkAssignee) =>
    infiniteQueryOptions({
      queryKey: [...worklistQueries.view(orgId, view), assignee] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(view, assignee, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      ...(view === 'next' ? { refetchInterval: POLL_MS, meta: { offline: true } } : { gcTime: POLL_MS }),
    }),
  /** How many wait: the same number on the screen, the navigation and the app's icon. */
  count: (orgId: string) =>
    queryOptions({
      queryKey: [...worklistKey(orgId), 'count'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/worklist/count', { signal })),
      refetchInterval: POLL_MS,
      meta: { offline: true },
    }),
}
