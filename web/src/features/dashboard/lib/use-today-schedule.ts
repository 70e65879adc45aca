import { useQuery } from '@tanstack/react-query'
import { scheduleQueries } from '@/features/schedule/queries'
import { getZoneDay } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'

const MINUTE_MS = 60_000

/** Today's visits. */
export function useTodaySchedule() {
  const { orgId, orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  return useQuery(scheduleQueries.range(orgId, { from: getZoneDay(orgTimezone, now), days: 1 }))
}
