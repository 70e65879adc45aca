import { Link } from 'react-router-dom'
import { useQuery } from '@tanstack/react-query'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusBadge } from '@/features/jobs/components/job-badges'
import { UndoBar } from '@/features/jobs/components/undo-bar'
import { jobsMessages } from '@/features/jobs/messages'
import { jobQueries } from '@/features/jobs/queries'
import type { JobDetail } from '@/features/jobs/types'
import { applyPendingCommands } from '../lib/pending-commands'
import { ContactLinks } from './contact-links'
import { FieldActions } from './field-actions'
import { JobAddress, JobTime, JobService } from './job-summary'

export function NextJob({ id }: { id: string }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const job = useQuery(jobQueries.detail(orgId, id))
  const entries = useOutboxEntries()
  return (
    <section aria-label={t('Next job')} className="glass-card p-4 sm:p-5">
      <QueryBoundary
        query={job}
        skeleton={<SkeletonLines lines={7} />}
        errorText={jobsMessages.jobFailed}
        timeZone={orgTimezone}
      >
        {(found) => <NextJobCard job={applyPendingCommands(found, entries)} timeZone={orgTimezone} />}
      </QueryBoundary>
    </section>
  )
}

function NextJobCard({ job, timeZone }: { job: JobDetail; timeZone: string }) {
  return (
    <div className="grid gap-4">
      <div className="grid gap-1">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <JobTime job={job} timeZone={timeZone} />
          {job.status !== 'Scheduled' && <StatusBadge status={job.status} />}
        </div>
        <h2 className="text-title wrap-anywhere">
          <Link to={paths.fieldJob(job.id)} className="inline-flex min-h-12 items-center gap-2 hover:underline">
            {job.customerName}
            <Icon name="arrow-right" className="text-primary" />
          </Link>
        </h2>
        <JobService job={job} />
        <JobAddress job={job} />
      </div>
      {job.specialInstructions && (
        <Notice tone="warning" title={t('Special instructions')}>
          <p className="whitespace-pre-line">{job.specialInstructions}</p>
        </Notice>
      )}
      <ContactLinks job={job} />
      <FieldActions job={job} />
      <UndoBar job={job} />
    </div>
  )
}
