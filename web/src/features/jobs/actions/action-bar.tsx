import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useOnline } from '@/lib/hooks/use-online'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { type JobAction, getNextAction, getOtherActions, type JobSheetName, REQUEST_REVIEW } from '../lib/actions'
import { jobsMessages as texts } from '../messages'
import { formatJobName, isMissingPhotos, useChangeJobStatus, useScheduleJob } from '../mutations'
import type { JobDetail } from '../types'
import { CompletionAction, useCompletionStep } from './completion-action'
import { AssignCrewDialog } from './assign-dialog'
import { CancelJobDialog } from './cancel-dialog'
import { MoreActionsSheet } from './more-actions-sheet'
import { MissingPhotosDialog } from './missing-photos-dialog'
import { ScheduleJobDialog } from './schedule-dialog'

const ReviewRequestDialog = lazy(async () => ({
  default: (await import('@/features/review-request/request-dialog')).ReviewRequestDialog,
}))
const EditJobDialog = lazy(async () => ({ default: (await import('./edit-dialog')).EditJobDialog }))

/** What is open over the page. */
type OpenDialog = 'more' | 'photos-missing' | Exclude<JobSheetName, 'photos' | 'on-site'>

function useJobActions(job: JobDetail) {
  const [pressed, setOpen] = useState<OpenDialog>()
  const [action, ask] = usePageAction()
  const asked = action === 'schedule' || action === 'assign' ? action : undefined
  const navigate = useNavigate()
  const status = useChangeJobStatus(job)
  const schedule = useScheduleJob(job.id)
  const run = ({ does }: JobAction) => {
    setOpen(undefined)
    if (does === 'unschedule') {
      schedule.mutate({
        change: { startsAt: null, crewId: job.crewId ?? null, version: job.version },
        toastText: { title: texts.schedule.unscheduled, description: formatJobName(job) },
      })
    } else if ('to' in does) {
      const { to, title } = does
      status.mutate(
        { change: { to }, title },
        {
          onError: (error) => {
            if (isMissingPhotos(error)) setOpen('photos-missing')
          },
        },
      )
    } else if (does.opens === 'photos') ask('photos')
    else if (does.opens === 'on-site') void navigate(paths.fieldJob(job.id))
    else setOpen(does.opens)
  }
  // A sheet that closes says so late, when the one it led to is open already.
  const closes = (name: OpenDialog) => () => {
    setOpen((now) => (now === name ? undefined : now))
    if (asked === name) ask(undefined)
  }
  return {
    open: pressed ?? asked,
    setOpen,
    closes,
    run,
    addPhotos: () => ask('photos'),
    makeInvoice: () => ask('invoice'),
    status,
    isPending: status.isPending || schedule.isPending,
  }
}

export function JobActionBar({ job }: { job: JobDetail }) {
  const isOffice = useCurrentUser().role !== 'crew'
  const isOnline = useOnline()
  const { open, setOpen, closes, run, addPhotos, makeInvoice, status, isPending } = useJobActions(job)
  const next = getNextAction(job, isOffice)
  const completion = useCompletionStep(job)
  // Actions in the bar are not repeated under More.
  const others = getOtherActions(job, isOffice).filter(
    (action) => !(completion?.kind === 'request_review' && action === REQUEST_REVIEW),
  )
  return (
    <div
      role="group"
      aria-label={t('What comes next')}
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
        <CompletionAction job={job} step={completion} isOnline={isOnline} onRun={run} onInvoice={makeInvoice} />
      )}
      {others.length > 0 && (
        <Button
          icon="dots"
          variant="secondary"
          disabled={!isOnline}
          aria-haspopup="dialog"
          aria-label={t('More for this job')}
          onClick={() => setOpen('more')}
        >
          {t('More')}
        </Button>
      )}
      {!isOnline && <p className="w-full text-caption text-warning">{texts.offline}</p>}
      <MoreActionsSheet open={open === 'more'} onClose={closes('more')} actions={others} onRun={run} />
      <ScheduleJobDialog open={open === 'schedule'} onClose={closes('schedule')} job={job} />
      <AssignCrewDialog open={open === 'assign'} onClose={closes('assign')} job={job} />
      <CancelJobDialog open={open === 'cancel'} onClose={closes('cancel')} job={job} />
      <MissingPhotosDialog
        open={open === 'photos-missing'}
        onClose={closes('photos-missing')}
        onAddPhotos={addPhotos}
        isOffice={isOffice}
        status={status}
      />
      {open === 'review' && (
        <Suspense fallback={null}>
          <ReviewRequestDialog target={{ kind: 'job', id: job.id }} onClose={closes('review')} />
        </Suspense>
      )}
      {open === 'edit' && (
        <Suspense fallback={null}>
          <EditJobDialog open onClose={closes('edit')} job={job} />
        </Suspense>
      )}
    </div>
  )
}
