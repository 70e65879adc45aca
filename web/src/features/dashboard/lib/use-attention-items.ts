// Queries of items that need a person.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { inboxQueries } from '@/features/inbox/queries'
import { describeResponsePromise, getOpenPromise } from '@/features/leads/lib/response-promise'
import { leadQueries } from '@/features/leads/queries'
import { scheduleQueries } from '@/features/schedule/queries'
import { getZoneDay } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'

const MINUTE_MS = 60_000

/** Today's visits, and how many jobs have no time yet: one answer of the schedule. */
export function useTodaySchedule() {
  const { orgId, orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  return useQuery(scheduleQueries.range(orgId, { from: getZoneDay(orgTimezone, now), days: 1 }))
}

/** Unseen alerts. */
export function useOpenAlerts() {
  const { orgId } = useCurrentUser()
  return useQuery(leadQueries.alertList(orgId))
}

/** Response promises that are broken or about to be, the most overdue first. This device looks each minute. */
export function useResponsePromises() {
  const { orgId, orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const query = useQuery(leadQueries.owed(orgId))
  const waited = query.data?.flatMap((lead) => {
    const promise = getOpenPromise(lead)
    return promise && Date.parse(promise.warnAt) <= now
      ? [{ id: lead.id, name: lead.name, dueAt: promise.dueAt, ...describeResponsePromise(promise, now, orgTimezone) }]
      : []
  })
  return { query, promised: waited?.toSorted((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt)) ?? [] }
}

export type UnansweredThreads = {
  count: number
  /** There may be more than were looked at. */ isMore: boolean
  /** Who waits longest, an instant in milliseconds. */ since: number
}

/** Threads whose last message is the customer's, without opted-out and snoozed ones. */
export function useUnansweredThreads() {
  const { orgId } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const query = useInfiniteQuery(inboxQueries.list(orgId, 'open', ''))
  const looked = query.data?.pages.flatMap(({ threads }) => threads)
  const waits = looked?.flatMap(({ waitingSince, optedOut, snoozedUntil }) =>
    waitingSince && optedOut !== 'stopped' && !(snoozedUntil && Date.parse(snoozedUntil) > now)
      ? [Date.parse(waitingSince)]
      : [],
  )
  const unanswered: UnansweredThreads | undefined = waits && {
    count: waits.length,
    isMore: query.hasNextPage,
    since: Math.min(...waits),
  }
  return { query, unanswered, now }
}
