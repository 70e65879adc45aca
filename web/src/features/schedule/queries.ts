// Schedule queries, nested in the job lists' key and invalidated with them.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { jobQueries } from '@/features/jobs/queries'

export const scheduleQueries = {
  all: (orgId: string) => [...jobQueries.lists(orgId), 'schedule'] as const,
  range: (orgId: string, { from, days }: { from: string; days: number }) =>
    queryOptions({
      queryKey: [...scheduleQueries.all(orgId), from, days] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/schedule', { params: { query: { from, days } }, signal })),
      meta: { offline: true },
    }),
}
