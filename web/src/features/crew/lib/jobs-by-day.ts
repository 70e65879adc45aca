// Jobs grouped for the crew: overdue, today, tomorrow, later.
import { getZoneDay } from '@/lib/format/zone-time'
import type { JobSummary } from '@/features/jobs/types'

export type JobsByDay = {
  /** Of days before, and not done. */
  overdue: JobSummary[]
  today: JobSummary[]
  tomorrow: JobSummary[]
  /** The first after tomorrow. */
  later: JobSummary | undefined
}

const isUnfinished = ({ status }: JobSummary) => status === 'Scheduled' || status === 'In Progress'

export function groupJobsByDay(jobs: readonly JobSummary[], timeZone: string, now: number): JobsByDay {
  const [today, tomorrow] = [getZoneDay(timeZone, now), getZoneDay(timeZone, now, 1)]
  const timed = jobs
    .flatMap((job) =>
      job.date ? [{ job, at: Date.parse(job.date), day: getZoneDay(timeZone, Date.parse(job.date)) }] : [],
    )
    .toSorted((one, other) => one.at - other.at)
  const on = (is: (day: string) => boolean) => timed.filter(({ day }) => is(day)).map(({ job }) => job)
  return {
    overdue: on((day) => day < today).filter(isUnfinished),
    today: on((day) => day === today),
    tomorrow: on((day) => day === tomorrow),
    later: on((day) => day > tomorrow).find(isUnfinished),
  }
}

/** The current job: in progress, then on the way, then the next of today, then an overdue one. */
export function getNextJob({ overdue, today }: JobsByDay): JobSummary | undefined {
  const open = [...overdue, ...today].filter(isUnfinished)
  return (
    open.find(({ status }) => status === 'In Progress') ??
    open.find(({ onMyWayAt }) => Boolean(onMyWayAt)) ??
    today.find(isUnfinished) ??
    overdue[0]
  )
}

/** Where one still goes today, in the order of the plan. */
export const remainingToday = ({ today }: Pick<JobsByDay, 'today'>) => today.filter(isUnfinished)
