import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { customersKey } from '@/domain/query-keys'
import { parseNextCursor } from '@/lib/next-cursor'
import type { CustomerSummary } from './types'

/** One page of the list, the newest record first, with the number of all. */
export type CustomerList = { customers: CustomerSummary[]; total: number; cursor: string | null }

const PAGE_SIZE = 50
const SEARCH_RESULTS = 6
const UNDO_WINDOW_MS = 24 * 60 * 60_000

async function fetchPage(q: string, limit: number, cursor: string | null, signal: AbortSignal): Promise<CustomerList> {
  const query = { limit, ...(q === '' ? {} : { q }), ...(cursor === null ? {} : { cursor }) }
  const { data: customers, response } = await unwrapWithResponse(
    api.GET('/api/customers', { params: { query }, signal }),
  )
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN)
  return {
    customers,
    total: Number.isFinite(total) ? total : customers.length,
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

export const customerQueries = {
  all: customersKey,
  list: (orgId: string, q: string) =>
    infiniteQueryOptions({
      queryKey: [...customerQueries.all(orgId), 'list', q] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(q, PAGE_SIZE, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      // A search is not worth keeping; the list is.
      ...(q === '' ? { meta: { offline: true } } : { gcTime: 60_000 }),
    }),
  /** Imports of the last day that were not undone. */
  imports: (orgId: string) =>
    queryOptions({
      queryKey: [...customerQueries.all(orgId), 'imports'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/customers/imports', { signal })),
      select: (imports) =>
        imports.filter(
          ({ at, undoneAt, customers }) => !undoneAt && customers > 0 && Date.now() - Date.parse(at) < UNDO_WINDOW_MS,
        ),
    }),
  /** A few, for who looks for the other half of a pair. */
  choices: (orgId: string, q: string) =>
    queryOptions({
      queryKey: [...customerQueries.all(orgId), 'choices', q] as const,
      queryFn: async ({ signal }) => (await fetchPage(q, SEARCH_RESULTS, null, signal)).customers,
      gcTime: 60_000,
    }),
  detail: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...customerQueries.all(orgId), 'detail', id] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/customers/{id}', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
  /** What there is of them, and the erasure that waits. For the owner, and never kept on the device. */
  personalData: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...customerQueries.all(orgId), 'personal-data', id] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/customers/{id}/personal-data', { params: { path: { id } }, signal })),
    }),
  merge: (orgId: string, id: string, other: string) =>
    queryOptions({
      queryKey: [...customerQueries.all(orgId), 'merge', id, other] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/customers/{id}/merge', { params: { path: { id }, query: { with: other } }, signal })),
      staleTime: 0,
      gcTime: 0,
    }),
}
