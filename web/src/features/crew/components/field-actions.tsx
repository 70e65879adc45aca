// The one next step on site, large enough for a glove: on my way, start, done. Beside it what is asked for less often.
import { useState } from 'react'
import { formatTime } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useOutboxOf } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { StateLine } from '@/ui/state-line'
import type { JobDetail } from '@/features/jobs/types'
import { fieldStep } from '../lib/steps'
import { useDo } from '../lib/use-do'
import { crewMessages as texts } from '../messages'
import { DoneSheet } from './done-sheet'
import { LateSheet } from './late-sheet'
import { MinuteChips } from './minute-chips'

const ARRIVALS = [10, 20, 30, 45] as const
const USUAL_ARRIVAL = 20
/** 56 px: hands in gloves. */
const LARGE = 'min-h-14! text-crew!'
const STACK = 'grid gap-3'
const ROW = 'grid grid-cols-[minmax(0,1fr)_auto] gap-2'

type Sheet = 'done' | 'late'

type FieldActionsProps = {
  /** As it stands with what waits on this phone. */ job: JobDetail
  /** Side by side, for a bar. */ row?: boolean
}

export function FieldActions({ job, row = false }: FieldActionsProps) {
  const [sheet, setSheet] = useState<Sheet>()
  const close = () => setSheet(undefined)
  return (
    <div className="grid gap-3">
      <Step job={job} row={row} onOpen={setSheet} />
      <ToldLater jobId={job.id} />
      {sheet === 'done' && <DoneSheet job={job} onClose={close} />}
      {sheet === 'late' && <LateSheet job={job} onClose={close} />}
    </div>
  )
}

type StepProps = { job: JobDetail; row: boolean; onOpen: (sheet: Sheet) => void }

function Step({ job, row, onOpen }: StepProps) {
  const { orgTimezone } = useCurrentUser()
  const act = useDo(job)
  switch (fieldStep(job)) {
    case 'way':
      return <OnMyWay job={job} onLate={() => onOpen('late')} />
    case 'start':
      return (
        <>
          <p className="text-note text-muted" role="status">
            On the way{job.etaAt && `, there at ${formatTime(job.etaAt, orgTimezone)}`}
          </p>
          <div className={row ? ROW : STACK}>
            <Button icon="play" className={LARGE} onClick={() => void act({ kind: 'status', to: 'in_progress' })}>
              Start
            </Button>
            <Button variant="secondary" icon="clock" onClick={() => onOpen('late')}>
              Running late
            </Button>
          </div>
        </>
      )
    case 'done':
      return (
        <div className={row ? ROW : STACK}>
          <Button icon="check" className={LARGE} onClick={() => onOpen('done')}>
            Done
          </Button>
          <Button
            variant={row ? 'secondary' : 'ghost'}
            icon="undo"
            onClick={() => void act({ kind: 'status', to: 'scheduled' })}
          >
            {row ? 'Not started' : 'Not started after all'}
          </Button>
        </div>
      )
    case undefined:
      return <Over job={job} />
  }
}

function OnMyWay({ job, onLate }: { job: JobDetail; onLate: () => void }) {
  const [minutes, setMinutes] = useState<number>(USUAL_ARRIVAL)
  const act = useDo(job)
  return (
    <>
      <MinuteChips label="There in" choices={ARRIVALS} value={minutes} onChange={setMinutes} />
      <Button icon="pin" wide className={LARGE} onClick={() => void act({ kind: 'on_my_way', etaMinutes: minutes })}>
        On my way
      </Button>
      <div className="grid grid-cols-2 gap-2">
        <Button variant="secondary" icon="play" onClick={() => void act({ kind: 'status', to: 'in_progress' })}>
          Start
        </Button>
        <Button
          variant="secondary"
          icon="clock"
          className="gap-1.5! px-1! whitespace-nowrap max-[22rem]:text-note!"
          onClick={onLate}
        >
          Running late
        </Button>
      </div>
    </>
  )
}

function Over({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const act = useDo(job)
  if (job.status === 'Cancelled')
    return (
      <StateLine tone="neutral" icon="close">
        Cancelled{job.cancelReason && `: ${job.cancelReason}`}
      </StateLine>
    )
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <StateLine tone="success" icon="check-circle">
        Done{job.completedAt && ` at ${formatTime(job.completedAt, orgTimezone)}`}
      </StateLine>
      <Button variant="ghost" icon="undo" onClick={() => void act({ kind: 'status', to: 'in_progress' })}>
        Reopen
      </Button>
    </div>
  )
}

/** The customer hears of it only when this phone is online again. */
function ToldLater({ jobId }: { jobId: string }) {
  const isOnline = useOnline()
  const isWaiting = useOutboxOf(jobId).some(
    ({ command, refusal }) => refusal === null && (command.kind === 'on_my_way' || command.kind === 'late'),
  )
  return isWaiting && !isOnline ? (
    <StateLine tone="warning" icon="offline">
      {texts.toldLater}
    </StateLine>
  ) : null
}
