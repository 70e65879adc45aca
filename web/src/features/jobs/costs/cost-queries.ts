// Job costs, nested in the job's key and invalidated with it.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { jobQueries } from '../queries'

export const costQueries = {
  ofJob: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...jobQueries.detail(orgId, id).queryKey, 'costs'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/jobs/{id}/costs', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
}
