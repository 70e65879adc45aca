import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

export const estimateQueries = {
  /** Whether the documents are unchanged since the signature; never cached. */
  verification: (orgId: string, id: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'estimate-verification', id] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/estimates/{id}/verify', { params: { path: { id } }, signal })),
      staleTime: 0,
      gcTime: 0,
    }),
}
