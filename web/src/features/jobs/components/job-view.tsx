import { Navigate } from 'react-router-dom'
import { serviceLabel } from '@/domain/lead'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import type { JobDetail } from '../types'
import { JobActionBar } from '../actions/action-bar'
import { JobCard } from './job-card'
import { CardDeclinedBadge, DetailPriorityBadge, StatusBadge } from './job-badges'
import { JobTabs } from './job-tabs'
import { UndoBar } from './undo-bar'

export function JobView({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const [action] = usePageAction()
  // The lead has the conversation, the estimate and the payments.
  if (action === 'answer' || action === 'estimate' || action === 'collect')
    return <Navigate to={`${paths.lead(job.leadId)}?do=${action}`} replace />
  return (
    // On a phone the action bar covers the end of the page.
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:pb-20">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-title wrap-anywhere">{serviceLabel(job.service)}</h1>
          <p className="mt-1 mb-2 text-muted">
            {t('Job')} <span className="tabular-nums">#{job.number}</span>
          </p>
          <p className="flex flex-wrap gap-2">
            <StatusBadge
              status={job.status}
              isScheduled={Boolean(job.scheduledAt)}
              isOnTheWay={Boolean(job.onMyWayAt)}
            />
            <DetailPriorityBadge rank={job.priority} />
            <CardDeclinedBadge job={job} />
          </p>
        </div>
        {isWide && <JobActionBar job={job} />}
      </header>
      <UndoBar job={job} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <JobCard job={job} timeZone={orgTimezone} />
        <JobTabs job={job} timeZone={orgTimezone} />
      </div>
      {!isWide && (
        <div className="glass-bar fixed inset-x-0 bottom-[calc(var(--nav-height)+var(--sai-bottom))] z-20 border-t px-4 py-2">
          <JobActionBar job={job} />
        </div>
      )}
    </div>
  )
}
