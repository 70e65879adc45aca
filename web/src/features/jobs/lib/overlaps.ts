import type { JobSummary } from '../types'

const MINUTE_MS = 60_000

export type TimeSlot = { startsAt: string; minutes: number }

/** Those that take part of the slot; one that ends when the other begins does not. */
export function findOverlaps(
  jobs: readonly JobSummary[],
  { startsAt, minutes }: TimeSlot,
  ownId: string,
): JobSummary[] {
  const from = Date.parse(startsAt)
  const to = from + minutes * MINUTE_MS
  return jobs.filter(
    ({ id, status, date, endsAt }) =>
      id !== ownId &&
      (status === 'Scheduled' || status === 'In Progress') &&
      date &&
      endsAt &&
      Date.parse(date) < to &&
      Date.parse(endsAt) > from,
  )
}
