// The jobs of a few days as a crew looks at them: what is left over, today, tomorrow, and when the next one is.
import { dayIn } from '@/lib/format/zone-time'
import type { JobSummary } from '@/features/jobs/types'

export type Days = {
  /** Of days before, and not done. */
  left: JobSummary[]
  today: JobSummary[]
  tomorrow: JobSummary[]
  /** The first after tomorrow. */
  later: JobSummary | undefined
}

const isUnfinished = ({ status }: JobSummary) => status === 'Scheduled' || status === 'In Progress'

export function inDays(jobs: readonly JobSummary[], timeZone: string, now: number): Days {
  const [today, tomorrow] = [dayIn(timeZone, now), dayIn(timeZone, now, 1)]
  const timed = jobs
    .flatMap((job) => (job.date ? [{ job, at: Date.parse(job.date), day: dayIn(timeZone, Date.parse(job.date)) }] : []))
    .toSorted((one, other) => one.at - other.at)
  const on = (is: (day: string) => boolean) => timed.filter(({ day }) => is(day)).map(({ job }) => job)
  return {
    left: on((day) => day < today).filter(isUnfinished),
    today: on((day) => day === today),
    tomorrow: on((day) => day === tomorrow),
    later: on((day) => day > tomorrow).find(isUnfinished),
  }
}

/** The one job that matters now: what goes on, then where one is on the way to, then the next of today, then what is left over. */
export function nextOf({ left, today }: Days): JobSummary | undefined {
  const open = [...left, ...today].filter(isUnfinished)
  return (
    open.find(({ status }) => status === 'In Progress') ??
    open.find(({ onMyWayAt }) => Boolean(onMyWayAt)) ??
    today.find(isUnfinished) ??
    left[0]
  )
}

/** Where one still goes today, in the order of the plan. */
export const leftOfDay = ({ today }: Pick<Days, 'today'>) => today.filter(isUnfinished)
