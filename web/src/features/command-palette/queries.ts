import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

/** The server finds nothing for less. */
export const MIN_SEARCH_LENGTH = 2
export const MAX_SEARCH_LENGTH = 100

export const searchQueries = {
  results: (orgId: string, q: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'search', q] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/search', { params: { query: { q } }, signal })),
      enabled: q.length >= MIN_SEARCH_LENGTH,
      staleTime: 0,
      gcTime: 60_000,
    }),
}
