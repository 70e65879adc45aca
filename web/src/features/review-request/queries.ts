// Preview of a manual review request, never cached.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { reviewsKey } from '@/domain/query-keys'
import type { ReviewRequestTarget } from './types'

export function reviewRequestQuery(orgId: string, { kind, id }: ReviewRequestTarget) {
  return queryOptions({
    queryKey: [...reviewsKey(orgId), 'request', kind, id] as const,
    queryFn: ({ signal }) =>
      unwrap(
        api.GET(kind === 'lead' ? '/api/leads/{id}/review' : '/api/jobs/{id}/review', {
          params: { path: { id } },
          signal,
        }),
      ),
    staleTime: 0,
    gcTime: 0,
  })
}
