// What pressing Request Review would cause: asked anew each time somebody looks.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { reviewsKey } from '@/domain/query-keys'
import type { AskedFor } from './types'

export function requestQuery(orgId: string, { kind, id }: AskedFor) {
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
