import { Link } from 'react-router-dom'
import { NOT_SCHEDULED, getJobStatus } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Card } from '@/ui/card'
import type { Customer } from '../types'
import { LinkRows, LinkRow } from './link-rows'

type Job = Customer['jobs'][number]

export function CustomerJobsCard({ jobs, timeZone }: { jobs: readonly Job[]; timeZone: string }) {
  return (
    <Card title={t('Jobs')} icon="briefcase">
      {jobs.length === 0 ? (
        <p className="text-muted">{t('No job yet.')}</p>
      ) : (
        <LinkRows>
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} timeZone={timeZone} />
          ))}
        </LinkRows>
      )}
    </Card>
  )
}

function JobRow({ job, timeZone }: { job: Job; timeZone: string }) {
  const { label, tone, icon } = getJobStatus(job.status, Boolean(job.startsAt))
  const details = [
    job.startsAt ? formatDateTime(job.startsAt, timeZone) : NOT_SCHEDULED,
    job.crew,
    job.address,
    typeof job.value === 'number' ? formatMoney(job.value) : null,
  ]
  return (
    <LinkRow
      aside={
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      }
    >
      <Link to={paths.job(job.id)} className="block font-semibold after:absolute after:inset-0 hover:underline">
        {serviceLabel(job.service)} <span className="tabular-nums">#{job.number}</span>
      </Link>
      <span className="block text-note text-muted">{details.filter(Boolean).join(', ')}</span>
    </LinkRow>
  )
}
