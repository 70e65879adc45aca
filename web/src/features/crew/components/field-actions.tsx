// The one next step on site, large enough for a glove: on my way, start, done. Beside it what is asked for less often.
import { lazy, Suspense, useState } from 'react'
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
import { MinuteChips } from './minute-chips'

const DoneSheet = lazy(async () => ({ default: (await import('./done-sheet')).DoneSheet }))
const LateSheet = lazy(async () => ({ default: (await import('./late-sheet')).LateSheet }))

const ARRIVALS = [10, 20, 30, 45] as const
const USUAL_ARRIVAL = 20
/** 56 px: hands in gloves. */
const LARGE = 'min-h-14! text-crew!'

type Sheet = 'done' | 'late'

/** `job` as it stands with what waits on this phone. */
export function FieldActions({ job }: { job: JobDetail }) {
  const [sheet, setSheet] = useState<Sheet>()
  const close = () => setSheet(undefined)
  return (
    <div className="grid gap-3">
      <Step job={job} onOpen={setSheet} />
      <ToldLater jobId={job.id} />
      <Suspense fallback={null}>
        {sheet === 'done' && <DoneSheet job={job} onClose={close} />}
        {sheet === 'late' && <LateSheet job={job} onClose={close} />}
      </Suspense>
    </div>
  )
}

function Step({ job, onOpen }: { job: JobDetail; onOpen: (sheet: Sheet) => void }) {
  const { orgTimezone } = useCurrentUser()
  const act = useDo(job)
  switch (fieldStep(job)) {
    case 'way':
      return <OnMyWay job={job} />
    case 'start':
      return (
        <>
          <p className="text-note text-muted" role="status">On the way{job.etaAt && `, there at ${formatTime(job.etaAt, orgTimezone)}`}</p>
          <Button icon="play" wide className={LARGE} onClick={() => void act({ kind: 'status', to: 'in_progress' })}>Start</Button>
          <Button variant="secondary" icon="clock" wide onClick={() => onOpen('late')}>Running late</Button>
        </>
      )
    case 'done':
      return (
        <>
          <Button icon="check" wide className={LARGE} onClick={() => onOpen('done')}>Done</Button>
          <Button variant="ghost" icon="undo" wide onClick={() => void act({ kind: 'status', to: 'scheduled' })}>Not started after all</Button>
        </>
      )
    case undefined:
      return <Over job={job} />
  }
}

function OnMyWay({ job }: { job: JobDetail }) {
  const [minutes, setMinutes] = useState<number>(USUAL_ARRIVAL)
  const act = useDo(job)
  return (
    <>
      <MinuteChips label="There in" choices={ARRIVALS} value={minutes} onChange={setMinutes} />
      <Button icon="pin" wide className={LARGE} onClick={() => void act({ kind: 'on_my_way', etaMinutes: minutes })}>On my way</Button>
      <Button variant="secondary" icon="play" wide onClick={() => void act({ kind: 'status', to: 'in_progress' })}>Already there, start</Button>
    </>
  )
}

function Over({ job }: { job: JobDetail }) {
  const { orgTimezone } = useCurrentUser()
  const act = useDo(job)
  if (job.status === 'Cancelled') return <StateLine tone="neutral" icon="close">Cancelled{job.cancelReason && `: ${job.cancelReason}`}</StateLine>
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <StateLine tone="success" icon="check-circle">Done{job.completedAt && ` at ${formatTime(job.completedAt, orgTimezone)}`}</StateLine>
      <Button variant="ghost" icon="undo" onClick={() => void act({ kind: 'status', to: 'in_progress' })}>Reopen</Button>
    </div>
  )
}

/** The customer hears of it only when this phone is online again. */
function ToldLater({ jobId }: { jobId: string }) {
  const isOnline = useOnline()
  const isWaiting = useOutboxOf(jobId).some(({ command, refusal }) => refusal === null && (command.kind === 'on_my_way' || command.kind === 'late'))
  return isWaiting && !isOnline ? <StateLine tone="warning" icon="offline">{texts.toldLater}</StateLine> : null
}
