import { Outlet } from 'react-router-dom'
import type { JobRouteProps } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useCurrentUser } from '@/features/session/use-session'
import type { JobDetail } from '../types'
import { JobActionBar } from '../actions/action-bar'
import { ChangeOrdersCard } from '../changes/change-orders-card'
import { AutomationCard } from './automation-card'
import { ChecklistCard } from './checklist-card'
import { CostsCard } from '../costs/costs-card'
import { JobFilesPanel } from '../files/job-files-panel'
import { JobCard } from './job-card'
import { CardDeclinedBadge, DetailPriorityBadge, StatusBadge } from './job-badges'
import { JobMoneyCard } from './money-card'
import { NotesCard } from './notes-card'
import { TimelineCard } from './timeline-card'
import { UndoBar } from './undo-bar'
import { WorkCard } from './work-card'

export function JobView({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  return (
    // On a phone the action bar covers the end of the page.
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:pb-20">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-title wrap-anywhere">{serviceLabel(job.service)}</h1>
          <p className="mt-1 mb-2 text-muted">
            Job <span className="tabular-nums">#{job.number}</span>
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
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          <JobCard job={job} timeZone={orgTimezone} />
          <JobMoneyCard job={job} />
          <CostsCard jobId={job.id} timeZone={orgTimezone} />
          <ChangeOrdersCard job={job} timeZone={orgTimezone} />
          <Outlet context={{ leadId: job.leadId, jobId: job.id } satisfies JobRouteProps} />
          <WorkCard job={job} />
          <ChecklistCard job={job} timeZone={orgTimezone} />
          <NotesCard job={job} timeZone={orgTimezone} />
          <JobFilesPanel job={job} timeZone={orgTimezone} />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          <TimelineCard job={job} timeZone={orgTimezone} />
          <AutomationCard job={job} timeZone={orgTimezone} />
        </div>
      </div>
      {!isWide && (
        <div className="glass-bar fixed inset-x-0 bottom-[calc(var(--nav-height)+var(--sai-bottom))] z-20 border-t px-4 py-2">
          <JobActionBar job={job} />
        </div>
      )}
    </div>
  )
}
