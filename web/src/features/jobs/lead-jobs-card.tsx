import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link, Navigate } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { serviceLabel } from '@/domain/lead'
import { useNow } from '@/lib/hooks/use-now'
import { useOnline } from '@/lib/hooks/use-online'
import { type PageAction, usePageAction } from '@/lib/hooks/use-page-action'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { formatVisitTime } from './components/job-cards'
import { StatusBadge } from './components/job-badges'
import { crewLabel } from './lib/labels'
import { jobsMessages } from './messages'
import { jobQueries } from './queries'
import type { JobSummary } from './types'

const AddJobDialog = lazy(async () => ({ default: (await import('./components/add-job-dialog')).AddJobDialog }))
const MINUTE_MS = 60_000

type LeadJobsCardProps = { lead: { id: string; name: string } }

export function LeadJobsCard({ lead }: LeadJobsCardProps) {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const jobs = useQuery(jobQueries.ofLead(orgId, lead.id))
  const isOnline = useOnline()
  const [isPressed, setIsPressed] = useState(false)
  const [action, ask] = usePageAction()
  const waiting = jobs.data && findWaitingJob(jobs.data, action)
  if (waiting) return <Navigate to={`${paths.job(waiting.id)}?do=${action}`} replace />
  const isAsked = jobs.data !== undefined && action === 'schedule'
  const close = () => {
    setIsPressed(false)
    if (isAsked) ask(undefined)
  }
  return (
    <Card title={t('Jobs')} icon="briefcase">
      <div className="grid gap-3">
        <QueryBoundary
          query={jobs}
          skeleton={<SkeletonLines lines={1} />}
          errorText={jobsMessages.listFailed}
          timeZone={orgTimezone}
        >
          {(list) =>
            list.length === 0 ? (
              <p className="text-muted">{t('No job yet.')}</p>
            ) : (
              <JobList jobs={list} timeZone={orgTimezone} />
            )
          }
        </QueryBoundary>
        {role !== 'crew' && (
          <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setIsPressed(true)}>
            {t('Add job')}
          </Button>
        )}
      </div>
      {(isPressed || isAsked) && (
        <Suspense fallback={null}>
          <AddJobDialog open onClose={close} lead={lead} />
        </Suspense>
      )}
    </Card>
  )
}

/** The job that already waits for what the URL asks: a time, or a crew. */
function findWaitingJob(jobs: readonly JobSummary[], action: PageAction | undefined): JobSummary | undefined {
  const planned = jobs.filter(({ status }) => status === 'Scheduled')
  if (action === 'schedule') return planned.find(({ date }) => !date)
  return action === 'assign' ? planned.find(({ crewId }) => !crewId) : undefined
}

function JobList({ jobs, timeZone }: { jobs: readonly JobSummary[]; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  return (
    <ul className="grid gap-2">
      {jobs.map((job) => (
        <li
          key={job.id}
          className="relative flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 rounded-field border border-primary/22 px-3 py-2 hover:bg-primary/8"
        >
          <span className="min-w-0">
            <Link to={paths.job(job.id)} className="block font-semibold after:absolute after:inset-0 hover:underline">
              {serviceLabel(job.service)} <span className="tabular-nums">#{job.number}</span>
            </Link>
            <span className="block text-note text-muted">
              {formatVisitTime(job, timeZone, now)}, {crewLabel(job.crew)}
            </span>
          </span>
          <StatusBadge status={job.status} isScheduled={Boolean(job.date)} />
        </li>
      ))}
    </ul>
  )
}
