// Jobs around today; single jobs use the job queries.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { getZoneDay } from '@/lib/format/zone-time'
import { jobQueries } from '@/features/jobs/queries'

const DAYS_BACK = -3
const DAYS_AHEAD = 7
const MAX_JOBS = 500

export const crewQueries = {
  /**
   * A few days back and a week ahead. The key names no day: what was fetched last night is what a start without a
   * network shows in the morning.
   */
  days: (orgId: string, timeZone: string) =>
    queryOptions({
      queryKey: [...jobQueries.lists(orgId), 'days'] as const,
      queryFn: ({ signal }) => {
        const now = Date.now()
        const query = {
          orgId,
          from: getZoneDay(timeZone, now, DAYS_BACK),
          to: getZoneDay(timeZone, now, DAYS_AHEAD),
          limit: MAX_JOBS,
        }
        return unwrap(api.GET('/api/jobs', { params: { query }, signal }))
      },
      meta: { offline: true },
    }),
}
