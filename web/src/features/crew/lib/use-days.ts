// The days of whoever looks: a crew's own jobs, and of the office's people those of the crews they go out with.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useNow } from '@/lib/hooks/use-now'
import { dayIn } from '@/lib/format/zone-time'
import { useOutbox } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/session/use-session'
import { jobQueries } from '@/features/jobs/queries'
import type { JobSummary } from '@/features/jobs/types'
import { peopleQueries } from '@/features/people/queries'
import { crewQueries } from '../queries'
import { inDays } from './days'
import { lineAsDone } from './overlay'

const MINUTE_MS = 60_000
/** As many as are kept whole for hours without a network. */
const KEPT_WHOLE = 15

/** Undefined: all of the business, for an owner who is in no crew. */
function useOwnCrews(): ReadonlySet<string> | undefined {
  const { id, orgId, role } = useCurrentUser()
  const { data: crews = [] } = useQuery({ ...peopleQueries.crews(orgId), enabled: role !== 'crew' })
  const own = crews.filter(({ members }) => members.some((member) => member.id === id))
  return role === 'crew' || own.length === 0 ? undefined : new Set(own.map((crew) => crew.id))
}

/** Fetches whole what the next hours need: the place may have no network. */
function useKeepWhole(jobs: readonly JobSummary[], fetchedAt: number): void {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const ids = jobs
    .slice(0, KEPT_WHOLE)
    .map(({ id }) => id)
    .join()
  useEffect(() => {
    if (fetchedAt === 0 || !navigator.onLine) return
    for (const id of ids.split(',').filter(Boolean)) void client.prefetchQuery(jobQueries.detail(orgId, id))
  }, [client, orgId, ids, fetchedAt])
}

export function useDays() {
  const { orgId, orgTimezone: timeZone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const query = useQuery(crewQueries.days(orgId, timeZone))
  const entries = useOutbox()
  const own = useOwnCrews()
  const { data, dataUpdatedAt, refetch } = query
  const days = useMemo(() => {
    const mine = (data ?? []).filter(({ crewId }) => !own || (crewId && own.has(crewId)))
    return inDays(
      mine.map((job) => lineAsDone(job, entries)),
      timeZone,
      now,
    )
  }, [data, own, entries, timeZone, now])
  useKeepWhole([...days.left, ...days.today, ...days.tomorrow], dataUpdatedAt)

  // What was fetched on another day reaches less far ahead.
  const isOfToday = dataUpdatedAt === 0 || dayIn(timeZone, dataUpdatedAt) === dayIn(timeZone, now)
  useEffect(() => {
    if (!isOfToday && navigator.onLine) void refetch()
  }, [isOfToday, refetch])
  return { query, days, now }
}
