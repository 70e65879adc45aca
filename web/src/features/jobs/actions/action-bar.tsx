// The next step of a job within a thumb's reach, and More for the rest.
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { type Action, nextStep, otherSteps, type SheetName } from '../lib/actions'
import { jobsMessages as texts } from '../messages'
import { jobName, lacksPhotos, useChangeStatus, useSchedule } from '../mutations'
import type { JobDetail } from '../types'
import { goToFiles } from '../files/content-panel'
import { AfterWork, useAfterWork } from './after-work'
import { AssignDialog } from './assign-dialog'
import { CancelDialog } from './cancel-dialog'
import { MoreSheet } from './more-sheet'
import { PhotosMissing } from './photos-missing'
import { ScheduleDialog } from './schedule-dialog'

const RequestDialog = lazy(async () => ({
  default: (await import('@/features/review-request/request-dialog')).RequestDialog,
}))
const EditDialog = lazy(async () => ({ default: (await import('./edit-dialog')).EditDialog }))

/** What is open over the page. */
type Open = 'more' | 'photos-missing' | Exclude<SheetName, 'photos' | 'on-site'>

function useActions(job: JobDetail) {
  const [open, setOpen] = useState<Open>()
  const navigate = useNavigate()
  const status = useChangeStatus(job)
  const schedule = useSchedule(job.id)
  const run = ({ does }: Action) => {
    setOpen(undefined)
    if (does === 'unschedule') {
      schedule.mutate({
        change: { startsAt: null, crewId: job.crewId ?? null, version: job.version },
        told: { title: texts.schedule.unscheduled, description: jobName(job) },
      })
    } else if ('to' in does) {
      const { to, title } = does
      status.mutate(
        { change: { to }, title },
        {
          onError: (error) => {
            if (lacksPhotos(error)) setOpen('photos-missing')
          },
        },
      )
    } else if (does.opens === 'photos') goToFiles()
    else if (does.opens === 'on-site') void navigate(paths.fieldJob(job.id))
    else setOpen(does.opens)
  }
  return { open, setOpen, run, status, isPending: status.isPending || schedule.isPending }
}

export function ActionBar({ job }: { job: JobDetail }) {
  const isOffice = useCurrentUser().role !== 'crew'
  const isOnline = useOnline()
  const { open, setOpen, run, status, isPending } = useActions(job)
  // A sheet that closes says so late, when the one it led to is open already.
  const closes = (name: Open) => () => setOpen((now) => (now === name ? undefined : now))
  const next = nextStep(job, isOffice)
  const left = useAfterWork(job)
  // What stands in the bar is not said again behind More.
  const others = otherSteps(job, isOffice).filter((action) => !(left && 'action' in left && left.action === action))
  return (
    <div
      role="group"
      aria-label="What comes next"
      className="mx-auto flex max-w-md flex-wrap items-center gap-2 lg:mx-0 lg:max-w-none"
    >
      {next ? (
        <Button
          icon={next.icon}
          variant={job.status === 'Cancelled' ? 'secondary' : 'primary'}
          className="flex-1 lg:min-w-40"
          disabled={!isOnline}
          pending={isPending}
          onClick={() => run(next)}
        >
          {next.label}
        </Button>
      ) : (
        <AfterWork left={left} isOnline={isOnline} onRun={run} />
      )}
      {others.length > 0 && (
        <Button
          icon="dots"
          variant="secondary"
          disabled={!isOnline}
          aria-haspopup="dialog"
          aria-label="More for this job"
          onClick={() => setOpen('more')}
        >
          More
        </Button>
      )}
      {!isOnline && <p className="w-full text-caption text-warning">{texts.offline}</p>}
      <MoreSheet open={open === 'more'} onClose={closes('more')} actions={others} onRun={run} />
      <ScheduleDialog open={open === 'schedule'} onClose={closes('schedule')} job={job} />
      <AssignDialog open={open === 'assign'} onClose={closes('assign')} job={job} />
      <CancelDialog open={open === 'cancel'} onClose={closes('cancel')} job={job} />
      <PhotosMissing
        open={open === 'photos-missing'}
        onClose={closes('photos-missing')}
        isOffice={isOffice}
        status={status}
      />
      {open === 'review' && (
        <Suspense fallback={null}>
          <RequestDialog of={{ kind: 'job', id: job.id }} onClose={closes('review')} />
        </Suspense>
      )}
      {open === 'edit' && (
        <Suspense fallback={null}>
          <EditDialog open onClose={closes('edit')} job={job} />
        </Suspense>
      )}
    </div>
  )
}
