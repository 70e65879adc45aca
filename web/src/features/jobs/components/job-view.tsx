// One job with all that is known of it, in the order one asks for it.
import { Outlet } from 'react-router-dom'
import type { JobSlot } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import { useMedia } from '@/lib/hooks/use-media'
import { useCurrentUser } from '@/session/use-session'
import type { JobDetail } from '../types'
import { ActionBar } from '../actions/action-bar'
import { ChangesCard } from '../changes/changes-card'
import { AutomationCard } from './automation-card'
import { ChecklistCard } from './checklist-card'
import { CostsCard } from '../costs/costs-card'
import { ContentPanel } from '../files/content-panel'
import { JobCard } from './job-card'
import { CardRefused, RankBadge, StatusBadge } from './job-badges'
import { MoneyCard } from './money-card'
import { NotesCard } from './notes-card'
import { TimelineCard } from './timeline-card'
import { UndoStrip } from './undo-strip'
import { WorkCard } from './work-card'

export function JobView({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const isWide = useMedia('(min-width: 64rem)', true)
  return (
    // On a phone the bar with the next step stands over the page's end.
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:pb-20">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-title wrap-anywhere">{serviceLabel(job.service)}</h1>
          <p className="mt-1 mb-2 text-muted">
            Job <span className="tabular-nums">#{job.number}</span>
          </p>
          <p className="flex flex-wrap gap-2">
            <StatusBadge status={job.status} />
            <RankBadge rank={job.priority} />
            <CardRefused job={job} />
          </p>
        </div>
        {isWide && <ActionBar job={job} />}
      </header>
      <UndoStrip job={job} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          <JobCard job={job} timeZone={orgTimezone} />
          <MoneyCard job={job} />
          <CostsCard jobId={job.id} timeZone={orgTimezone} />
          <ChangesCard job={job} timeZone={orgTimezone} />
          <Outlet context={{ leadId: job.leadId, jobId: job.id } satisfies JobSlot} />
          <WorkCard job={job} />
          <ChecklistCard job={job} timeZone={orgTimezone} />
          <NotesCard job={job} timeZone={orgTimezone} />
          <ContentPanel job={job} timeZone={orgTimezone} />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          <TimelineCard job={job} timeZone={orgTimezone} />
          <AutomationCard job={job} timeZone={orgTimezone} />
        </div>
      </div>
      {!isWide && (
        <div className="glass-bar fixed inset-x-0 bottom-[calc(var(--nav-height)+var(--sai-bottom))] z-20 border-t px-4 py-2">
          <ActionBar job={job} />
        </div>
      )}
    </div>
  )
}
