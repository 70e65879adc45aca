// Time, address and service lines of a crew card.
import { formatTime } from '@/lib/format/date'
import { NOT_SCHEDULED } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { mapHref } from '@/features/jobs/lib/map-href'
import type { JobDetail } from '@/features/jobs/types'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'

const MINUTE_MS = 60_000

/** `8:00 AM – 10:00 AM`, with the window of arrival where there is one, and whether they wait for it. */
export function JobTime({
  job: { scheduledAt, endsAt, arrivalMinutes, confirmedAt },
  timeZone,
}: {
  job: JobDetail
  timeZone: string
}) {
  if (!scheduledAt) return <p className="text-section">{NOT_SCHEDULED}</p>
  return (
    <div>
      <p className="text-section tabular-nums">
        {formatTime(scheduledAt, timeZone)}
        {endsAt && ` – ${formatTime(endsAt, timeZone)}`}
      </p>
      {arrivalMinutes > 0 && (
        <p className="text-note text-muted">
          {t('Arrive by {time}', { time: formatTime(Date.parse(scheduledAt) + arrivalMinutes * MINUTE_MS, timeZone) })}
        </p>
      )}
      {confirmedAt && (
        <StatusLine plain tone="success" icon="check-circle">
          {t('Confirmed by the customer')}
        </StatusLine>
      )}
    </div>
  )
}

/** The address, which opens the map. */
export function JobAddress({ job }: { job: JobDetail }) {
  const map = mapHref(job)
  if (!map) return <p className="text-muted">{t('No address')}</p>
  return (
    <a
      href={map}
      target="_blank"
      rel="noopener noreferrer"
      className="flex min-h-12 items-start gap-2 py-1 text-crew font-semibold text-primary underline-offset-4 hover:underline"
    >
      <Icon name="pin" className="mt-1" />
      <span className="min-w-0 wrap-anywhere">
        {[job.address, job.zip].filter(Boolean).join(', ')}
        <span className="sr-only"> {t('(map, new tab)')}</span>
      </span>
    </a>
  )
}

/** What is to be done there, in a line. */
export function JobService({ job: { service, number } }: { job: Pick<JobDetail, 'service' | 'number'> }) {
  return (
    <p className="text-muted wrap-anywhere">
      {t('{service} · Job', { service: serviceLabel(service) })} <span className="tabular-nums">#{number}</span>
    </p>
  )
}
