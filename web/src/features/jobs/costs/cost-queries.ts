// What a job has cost, under the job's own key: what makes the job be fetched anew makes its costs too.
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
