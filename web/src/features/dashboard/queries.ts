// Dashboard queries. Polling covers changes without a live event, such as an invoice falling due.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { figuresKey } from '@/domain/query-keys'

/** Poll interval of both queries while the page is visible (product §9). */
export const POLL_MS = 120_000
/** The longest month, and so two whole weeks too. */
const DAYS = 31

export const dashboardQueries = {
  kpis: (orgId: string) =>
    queryOptions({
      queryKey: [...figuresKey(orgId), 'kpis'] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/kpis/{businessId}', { params: { path: { businessId: orgId } }, signal })),
      refetchInterval: POLL_MS,
      meta: { offline: true },
    }),
  days: (orgId: string) =>
    queryOptions({
      queryKey: [...figuresKey(orgId), 'days'] as const,
      queryFn: async ({ signal }) =>
        (
          await unwrap(
            api.GET('/api/daily-metrics/{businessId}', {
              params: { path: { businessId: orgId }, query: { days: DAYS } },
              signal,
            }),
          )
        ).days,
      refetchInterval: POLL_MS,
      meta: { offline: true },
    }),
}
