// The job that matters now: where, for whom, how to reach them, and the next step.
import { Link } from 'react-router-dom'
import { useQuery } from '@tanstack/react-query'
import { paths } from '@/lib/paths'
import { useOutbox } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/session/use-session'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusBadge } from '@/features/jobs/components/job-badges'
import { UndoStrip } from '@/features/jobs/components/undo-strip'
import { jobsMessages } from '@/features/jobs/messages'
import { jobQueries } from '@/features/jobs/queries'
import type { JobDetail } from '@/features/jobs/types'
import { asDone } from '../lib/overlay'
import { ContactLinks } from './contact-links'
import { FieldActions } from './field-actions'
import { JobAddress, JobTime, JobWhat } from './job-place'

export function NextJob({ id }: { id: string }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const job = useQuery(jobQueries.detail(orgId, id))
  const entries = useOutbox()
  return (
    <section aria-label="Next job" className="glass-card p-4 sm:p-5">
      <QueryBoundary
        query={job}
        skeleton={<SkeletonLines lines={7} />}
        errorText={jobsMessages.jobFailed}
        timeZone={orgTimezone}
      >
        {(found) => <NextCard job={asDone(found, entries)} timeZone={orgTimezone} />}
      </QueryBoundary>
    </section>
  )
}

function NextCard({ job, timeZone }: { job: JobDetail; timeZone: string }) {
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
        <JobWhat job={job} />
        <JobAddress job={job} />
      </div>
      {job.specialInstructions && (
        <Notice tone="warning" title="Special instructions">
          <p className="whitespace-pre-line">{job.specialInstructions}</p>
        </Notice>
      )}
      <ContactLinks job={job} />
      <FieldActions job={job} />
      <UndoStrip job={job} />
    </div>
  )
}
