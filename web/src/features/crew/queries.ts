// What the crew's screens fetch: the jobs of the days around today. One job is fetched as everywhere else.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { dayIn } from '@/lib/format/zone-time'
import { jobQueries } from '@/features/jobs/queries'

const DAYS_BACK = -3
const DAYS_AHEAD = 7
const MOST = 500

export const crewQueries = {
  /**
   * A few days back and a week ahead. The key names no day: what was fetched last night is what a start without a network
   * shows in the morning.
   */
  days: (orgId: string, timeZone: string) =>
    queryOptions({
      queryKey: [...jobQueries.lists(orgId), 'days'] as const,
      queryFn: ({ signal }) => {
        const now = Date.now()
        const query = {
          orgId,
          from: dayIn(timeZone, now, DAYS_BACK),
          to: dayIn(timeZone, now, DAYS_AHEAD),
          limit: MOST,
        }
        return unwrap(api.GET('/api/jobs', { params: { query }, signal }))
      },
      meta: { offline: true },
    }),
}
