import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { serviceLabel } from '@/domain/lead'
import { StatusBadge } from '@/features/jobs/components/job-badges'
import { crewLabel } from '@/features/jobs/lib/labels'
import { formatTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { useTodaySchedule } from '../lib/use-today-schedule'
import { dashboardMessages as texts } from '../messages'
import type { Visit } from '@/features/schedule/types'

/** As many as stand here without pushing the figures out of sight. */
const MAX_SHOWN = 5

export function TodayJobs() {
  const { orgTimezone } = useCurrentUser()
  const today = useTodaySchedule()
  return (
    <section aria-labelledby="todays-jobs" className="grid grid-cols-[minmax(0,1fr)] content-start gap-2">
      <h2 id="todays-jobs" className="text-section">
        {texts.today.title}
      </h2>
      <div className="glass-card overflow-hidden">
        <QueryBoundary
          query={today}
          skeleton={<Skeleton className="h-16 w-full" />}
          errorText={texts.today.failed}
          timeZone={orgTimezone}
          saysOffline
        >
          {({ jobs }) => <Visits jobs={unfinishedFirst(jobs)} timeZone={orgTimezone} />}
        </QueryBoundary>
      </div>
    </section>
  )
}

const isDone = ({ status }: Visit) => status === 'Completed'

/** Completed jobs are left out. */
function unfinishedFirst(jobs: readonly Visit[]): Visit[] {
  return [...jobs.filter((job) => !isDone(job)), ...jobs.filter(isDone)]
}

function Visits({ jobs, timeZone }: { jobs: readonly Visit[]; timeZone: string }) {
  const more = jobs.length - MAX_SHOWN
  if (jobs.length === 0)
    return (
      <p className="flex min-h-14 items-center justify-between gap-3 px-3">
        {texts.today.nothing}
        <Link to={paths.schedule} className="text-link inline-flex min-h-11 items-center">
          {t('Open schedule')}
        </Link>
      </p>
    )
  return (
    <>
      <ul className="divide-y divide-primary/15">
        {jobs.slice(0, MAX_SHOWN).map((job) => (
          <VisitRow key={job.id} job={job} timeZone={timeZone} />
        ))}
      </ul>
      {more > 0 && (
        <Link
          to={paths.schedule}
          className="flex min-h-11 items-center gap-2 border-t border-primary/15 px-3 text-note font-semibold text-primary -outline-offset-2! hover:bg-primary/8"
        >
          {t('and {count} more today', { count: formatCount(more) })}
          <Icon name="arrow-right" className="size-4" />
        </Link>
      )}
    </>
  )
}

function VisitRow({ job, timeZone }: { job: Visit; timeZone: string }) {
  return (
    <li>
      <Link
        to={paths.job(job.id)}
        className="flex min-h-14 items-center gap-3 px-3 py-2 -outline-offset-2! hover:bg-primary/8"
      >
        <span className="w-[5rem] shrink-0 font-semibold whitespace-nowrap tabular-nums">
          {job.date && formatTime(job.date, timeZone)}
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center justify-between gap-x-2">
            <span className="min-w-0 truncate font-semibold">{job.customer}</span>
            {/* The default state of a coming visit has no badge. */}
            {job.status !== 'Scheduled' && <StatusBadge status={job.status} />}
          </span>
          <span className="block truncate text-note text-muted">
            {serviceLabel(job.service)}, {crewLabel(job.crew)}
          </span>
        </span>
      </Link>
    </li>
  )
}
