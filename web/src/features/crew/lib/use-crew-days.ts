// Jobs of the user: own crew's, or all for an owner without a crew.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useNow } from '@/lib/hooks/use-now'
import { getZoneDay } from '@/lib/format/zone-time'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { jobQueries } from '@/features/jobs/queries'
import type { JobSummary } from '@/features/jobs/types'
import { peopleQueries } from '@/features/people/queries'
import { crewQueries } from '../queries'
import { groupJobsByDay } from './jobs-by-day'
import { applyPendingToSummary } from './pending-commands'

const MINUTE_MS = 60_000
/** As many as are kept whole for hours without a network. */
const MAX_PREFETCHED_JOBS = 15

/** Undefined: all of the business, for an owner who is in no crew. */
function useOwnCrews(): ReadonlySet<string> | undefined {
  const { id, orgId, role } = useCurrentUser()
  const { data: crews = [] } = useQuery({ ...peopleQueries.crews(orgId), enabled: role !== 'crew' })
  const own = crews.filter(({ members }) => members.some((member) => member.id === id))
  return role === 'crew' || own.length === 0 ? undefined : new Set(own.map((crew) => crew.id))
}

/** Fetches whole what the next hours need: the place may have no network. */
function usePrefetchJobDetails(jobs: readonly JobSummary[], fetchedAt: number): void {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const ids = jobs
    .slice(0, MAX_PREFETCHED_JOBS)
    .map(({ id }) => id)
    .join()
  useEffect(() => {
    if (fetchedAt === 0 || !navigator.onLine) return
    for (const id of ids.split(',').filter(Boolean)) void client.prefetchQuery(jobQueries.detail(orgId, id))
  }, [client, orgId, ids, fetchedAt])
}

export function useCrewDays() {
  const { orgId, orgTimezone: timeZone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const query = useQuery(crewQueries.days(orgId, timeZone))
  const entries = useOutboxEntries()
  const own = useOwnCrews()
  const { data, dataUpdatedAt, refetch } = query
  const days = useMemo(() => {
    const mine = (data ?? []).filter(({ crewId }) => !own || (crewId && own.has(crewId)))
    return groupJobsByDay(
      mine.map((job) => applyPendingToSummary(job, entries)),
      timeZone,
      now,
    )
  }, [data, own, entries, timeZone, now])
  usePrefetchJobDetails([...days.overdue, ...days.today, ...days.tomorrow], dataUpdatedAt)

  // What was fetched on another day reaches less far ahead.
  const isOfToday = dataUpdatedAt === 0 || getZoneDay(timeZone, dataUpdatedAt) === getZoneDay(timeZone, now)
  useEffect(() => {
    if (!isOfToday && navigator.onLine) void refetch()
  }, [isOfToday, refetch])
  return { query, days, now }
}
