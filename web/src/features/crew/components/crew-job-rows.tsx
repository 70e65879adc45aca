import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { serviceLabel } from '@/domain/lead'
import { formatTime } from '@/lib/format/date'
import { formatDayName } from '@/lib/format/zone-time'
import { StatusBadge } from '@/features/jobs/components/job-badges'
import { placeLabel } from '@/features/jobs/lib/labels'
import type { JobSummary } from '@/features/jobs/types'
import { Icon } from '@/ui/icon'

type CrewJobRowsProps = {
  title: string
  jobs: readonly JobSummary[]
  timeZone: string
  /** Shows the day too, for jobs of several days. */ now?: number
}

export function CrewJobRows({ title, jobs, timeZone, now }: CrewJobRowsProps) {
  if (jobs.length === 0) return null
  return (
    <section aria-label={title} className="grid gap-2">
      <h2 className="text-section">{title}</h2>
      <ul className="grid gap-2">
        {jobs.map((job) => (
          <li key={job.id}>
            <Link
              to={paths.fieldJob(job.id)}
              className="glass-card flex min-h-16 items-center gap-3 p-3 hover:border-primary/60"
            >
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-baseline justify-between gap-x-3">
                  <span className="text-crew font-semibold tabular-nums">
                    {job.date &&
                      `${now === undefined ? '' : `${formatDayName(timeZone, Date.parse(job.date), now)} `}${formatTime(job.date, timeZone)}`}
                  </span>
                  {job.status !== 'Scheduled' && <StatusBadge status={job.status} />}
                </span>
                <span className="block font-semibold wrap-anywhere">{job.customer}</span>
                <span className="block text-note text-muted wrap-anywhere">
                  {serviceLabel(job.service)} · {placeLabel(job.location)}
                </span>
              </span>
              <Icon name="arrow-right" className="text-primary" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
