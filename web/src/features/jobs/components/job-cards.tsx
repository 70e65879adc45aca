import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { NOT_SCHEDULED } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { formatDayTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Icon, type IconName } from '@/ui/icon'
import { crewLabel, placeLabel } from '../lib/labels'
import type { JobSummary } from '../types'
import { CardDeclinedBadge, PriorityBadge, StatusBadge } from './job-badges'

const MINUTE_MS = 60_000

type JobCardsProps = { jobs: readonly JobSummary[]; timeZone: string }

export function JobCards({ jobs, timeZone }: JobCardsProps) {
  const now = useNow(MINUTE_MS)
  return (
    <ul aria-label={t('Jobs, newest first')} className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
      {jobs.map((job) => (
        <JobCard key={job.id} job={job} timeZone={timeZone} now={now} />
      ))}
    </ul>
  )
}

type JobCardProps = { job: JobSummary; timeZone: string; now: number }

/** The whole card opens the job. */
function JobCard({ job, timeZone, now }: JobCardProps) {
  return (
    <li className="glass-card relative grid content-start gap-3 p-4 hover:border-primary/55">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 className="text-crew wrap-anywhere">
            <Link to={paths.job(job.id)} className="after:absolute after:inset-0 after:rounded-box hover:underline">
              {job.customer}
            </Link>
          </h3>
          <p className="text-muted">
            {serviceLabel(job.service)} <span className="whitespace-nowrap tabular-nums">#{job.number}</span>
          </p>
        </div>
        {typeof job.value === 'number' && (
          <p className="shrink-0 text-crew font-semibold tabular-nums">{formatMoney(job.value)}</p>
        )}
      </div>
      <ul className="grid gap-1.5 text-note">
        <CardLine icon="calendar" isQuiet={!job.date}>
          {formatVisitTime(job, timeZone, now)}
        </CardLine>
        <CardLine icon="pin">{placeLabel(job.location)}</CardLine>
        <CardLine icon="leads" isQuiet={!job.crewId}>
          {crewLabel(job.crew)}
        </CardLine>
      </ul>
      <p className="flex flex-wrap gap-2">
        <StatusBadge status={job.status} isScheduled={Boolean(job.date)} />
        <PriorityBadge priority={job.priority} />
        <CardDeclinedBadge job={job} />
        {job.conflicts > 0 && (
          <Badge tone="warning" icon="alert">
            {t('Overlaps')}
          </Badge>
        )}
      </p>
    </li>
  )
}

/** `Tomorrow 8:00 AM – 10:00 AM` */
export function formatVisitTime(
  { date, endsAt }: Pick<JobSummary, 'date' | 'endsAt'>,
  timeZone: string,
  now: number,
): string {
  if (!date) return NOT_SCHEDULED
  return `${formatDayTime(date, timeZone, now)}${endsAt ? ` – ${formatTime(endsAt, timeZone)}` : ''}`
}

function CardLine({ icon, isQuiet = false, children }: { icon: IconName; isQuiet?: boolean; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      <Icon name={icon} className="mt-0.5 size-4 text-primary" />
      <span className={classNames('min-w-0 wrap-anywhere', isQuiet && 'text-muted')}>{children}</span>
    </li>
  )
}
