// Next step on site as a large button, with secondary actions.
import { useState } from 'react'
import { formatTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { useJobOutboxEntries } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { StatusLine } from '@/ui/status-line'
import type { JobDetail } from '@/features/jobs/types'
import { nextFieldStep } from '../lib/steps'
import { useRunCommand } from '../lib/use-run-command'
import { crewMessages as texts } from '../messages'
import { CompleteJobSheet } from './complete-job-sheet'
import { DelaySheet } from './delay-sheet'
import { MinuteChips } from './minute-chips'

const ARRIVAL_MINUTES = [10, 20, 30, 45] as const
const DEFAULT_ARRIVAL_MINUTES = 20
/** 56 px, for use with gloves. */
const LARGE = 'min-h-14! text-crew!'
const STACK = 'grid gap-3'
const ROW = 'grid grid-cols-[minmax(0,1fr)_auto] gap-2'

type Sheet = 'done' | 'late'

type FieldActionsProps = {
  /** With the pending changes of this phone. */ job: JobDetail
  /** Side by side, for a bar. */ row?: boolean
}

export function FieldActions({ job, row = false }: FieldActionsProps) {
  const [sheet, setSheet] = useState<Sheet>()
  const close = () => setSheet(undefined)
  return (
    <div className="grid gap-3">
      <StepButton job={job} row={row} onOpen={setSheet} />
      <DeferredNotice jobId={job.id} />
      {sheet === 'done' && <CompleteJobSheet job={job} onClose={close} />}
      {sheet === 'late' && <DelaySheet job={job} onClose={close} />}
    </div>
  )
}

type StepProps = { job: JobDetail; row: boolean; onOpen: (sheet: Sheet) => void }

function StepButton({ job, row, onOpen }: StepProps) {
  const { orgTimezone } = useCurrentUser()
  const act = useRunCommand(job)
  switch (nextFieldStep(job)) {
    case 'way':
      return <OnMyWayButton job={job} onLate={() => onOpen('late')} />
    case 'start':
      return (
        <>
          <p className="text-note text-muted" role="status">
            {job.etaAt
              ? t('On the way, there at {time}', { time: formatTime(job.etaAt, orgTimezone) })
              : t('On the way')}
          </p>
          <div className={row ? ROW : STACK}>
            <Button icon="play" className={LARGE} onClick={() => void act({ kind: 'status', to: 'in_progress' })}>
              {t('Start')}
            </Button>
            <Button variant="secondary" icon="clock" onClick={() => onOpen('late')}>
              {t('Running late')}
            </Button>
          </div>
        </>
      )
    case 'done':
      return (
        <div className={row ? ROW : STACK}>
          <Button icon="check" className={LARGE} onClick={() => onOpen('done')}>
            {t('Done')}
          </Button>
          <Button
            variant={row ? 'secondary' : 'ghost'}
            icon="undo"
            onClick={() => void act({ kind: 'status', to: 'scheduled' })}
          >
            {row ? t('Not started') : t('Not started after all')}
          </Button>
        </div>
      )
    case undefined:
      return <JobOver job={job} />
  }
}

/** Said where the message does not go by text. */
function MessageWay({ job: { customerNoVisitText, customerVisitUnreachable } }: { job: JobDetail }) {
  if (customerVisitUnreachable) return <p className="text-note text-muted">{texts.byNoWay(customerVisitUnreachable)}</p>
  return customerNoVisitText ? <p className="text-note text-muted">{texts.byEmailOnly(customerNoVisitText)}</p> : null
}

function OnMyWayButton({ job, onLate }: { job: JobDetail; onLate: () => void }) {
  const [minutes, setMinutes] = useState<number>(DEFAULT_ARRIVAL_MINUTES)
  const act = useRunCommand(job)
  return (
    <>
      <MinuteChips label={t('There in')} choices={ARRIVAL_MINUTES} value={minutes} onChange={setMinutes} />
      <MessageWay job={job} />
      <Button icon="pin" wide className={LARGE} onClick={() => void act({ kind: 'on_my_way', etaMinutes: minutes })}>
        {t('On my way')}
      </Button>
      <div className="grid grid-cols-2 gap-2">
        <Button variant="secondary" icon="play" onClick={() => void act({ kind: 'status', to: 'in_progress' })}>
          {t('Start')}
        </Button>
        <Button
          variant="secondary"
          icon="clock"
          className="gap-1.5! px-1! whitespace-nowrap max-[22rem]:text-note!"
          onClick={onLate}
        >
          {t('Running late')}
        </Button>
      </div>
    </>
  )
}

function JobOver({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const act = useRunCommand(job)
  if (job.status === 'Cancelled')
    return (
      <StatusLine tone="neutral" icon="close">
        {job.cancelReason ? t('Cancelled: {reason}', { reason: job.cancelReason }) : t('Cancelled')}
      </StatusLine>
    )
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <StatusLine tone="success" icon="check-circle">
        {job.completedAt ? t('Done at {time}', { time: formatTime(job.completedAt, orgTimezone) }) : t('Done')}
      </StatusLine>
      <Button variant="ghost" icon="undo" onClick={() => void act({ kind: 'status', to: 'in_progress' })}>
        {t('Reopen')}
      </Button>
    </div>
  )
}

/** The customer hears of it only when this phone is online again. */
function DeferredNotice({ jobId }: { jobId: string }) {
  const isOnline = useOnline()
  const isWaiting = useJobOutboxEntries(jobId).some(
    ({ command, refusal }) => refusal === null && (command.kind === 'on_my_way' || command.kind === 'late'),
  )
  return isWaiting && !isOnline ? (
    <StatusLine tone="warning" icon="offline">
      {texts.toldLater}
    </StatusLine>
  ) : null
}
