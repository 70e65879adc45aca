// From "this lead goes there" to the move: where it may go, why it goes back, when the work is done, what was paid.
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { Outlet } from 'react-router-dom'
import { LEAD_STAGE_ORDER, LEAD_STAGES, type LeadStage, type ScheduleSlot } from '@/domain/lead'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon, type IconName } from '@/ui/icon'
import { StateLine } from '@/ui/state-line'
import type { LeadSummary } from '../queries'
import { choiceOf } from './lib'
import { boardMessages as texts } from './messages'
import { useMoveLead } from './mutations'
import type { BoardColumn } from './queries'

const PaymentDialog = lazy(async () => ({ default: (await import('../money/payment-dialog')).PaymentDialog }))

/** A reason shorter than this is none. */
const SHORTEST_REASON = 3

/** What a person has begun: `to` is not known while they look at the menu. */
export type Asked = { lead: LeadSummary; to?: LeadStage; step: 'menu' | 'reason' | 'schedule' | 'job' | 'payment' }

type MoveFlowProps = {
  asked: Asked
  column: BoardColumn
  onAsk: (lead: LeadSummary, to: LeadStage) => void
  onStep: (asked: Asked) => void
  onClose: () => void
}

export function MoveFlow({ asked, column, onAsk, onStep, onClose }: MoveFlowProps) {
  const { lead, to, step } = asked
  if (step === 'payment')
    return (
      <Suspense fallback={null}>
        <PaymentDialog lead={lead} onClose={onClose} />
      </Suspense>
    )
  // Jobs belong to another feature, which puts its dialog here.
  if (step === 'job')
    return (
      <Suspense fallback={null}>
        <Outlet context={{ lead: { id: lead.id, name: lead.name }, onClose } satisfies ScheduleSlot} />
      </Suspense>
    )
  const title = to === undefined ? `Move ${lead.name}` : `Move ${lead.name} to ${LEAD_STAGES[to].label}`
  return (
    <Dialog open onClose={onClose} title={title}>
      {step === 'menu' && <Menu column={column} onPick={(stage) => onAsk(lead, stage)} />}
      {step === 'reason' && to && <Reason lead={lead} to={to} onClose={onClose} />}
      {step === 'schedule' && <Schedule lead={lead} onJob={() => onStep({ lead, step: 'job' })} onClose={onClose} />}
    </Dialog>
  )
}

function Menu({ column, onPick }: { column: BoardColumn; onPick: (to: LeadStage) => void }) {
  const others = LEAD_STAGE_ORDER.filter((stage) => stage !== column.stage)
  return (
    <ul className="grid gap-2">
      {others.map((stage) => {
        const choice = choiceOf(column, stage)
        const { label, icon } = LEAD_STAGES[stage]
        return (
          <li key={stage}>
            {choice.kind === 'refused' ? (
              <Closed label={label} icon={icon} why={choice.why} />
            ) : (
              <Button variant="secondary" icon={icon} wide className="justify-start" onClick={() => onPick(stage)}>
                {label}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Where it cannot go, and why. */
function Closed({ label, icon, why }: { label: string; icon: IconName; why: string }) {
  return (
    <div className="rounded-field border border-dashed border-muted/40 px-4 py-2 text-muted">
      <p className="flex min-h-7 items-center gap-2 font-semibold">
        <Icon name={icon} />
        {label}
      </p>
      <p className="text-note">{why}</p>
    </div>
  )
}

function Reason({ lead, to, onClose }: { lead: LeadSummary; to: LeadStage; onClose: () => void }) {
  const id = useId()
  const [reason, setReason] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const move = useMoveLead()
  const isFault = isChecked && reason.trim().length < SHORTEST_REASON
  const send = () => {
    setIsChecked(true)
    if (reason.trim().length < SHORTEST_REASON) return
    move.mutate({ lead, to, reason: reason.trim() }, { onSuccess: onClose })
  }
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <label htmlFor={id} className="font-semibold">
          Why does it go back?
          <span aria-hidden="true" className="text-secondary">
            {' '}
            *
          </span>
        </label>
        <textarea
          id={id}
          rows={2}
          maxLength={500}
          className="textarea"
          aria-required
          aria-invalid={isFault || undefined}
          aria-describedby={isFault ? `${id}-fault` : undefined}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {isFault && (
          <div id={`${id}-fault`} role="alert">
            <StateLine tone="error" icon="alert">
              {texts.reason}
            </StateLine>
          </div>
        )}
      </div>
      <Answers onClose={onClose}>
        <Button icon="undo" pending={move.isPending} pendingText="Moving..." onClick={send}>
          Move back
        </Button>
      </Answers>
    </div>
  )
}

function Schedule({ lead, onJob, onClose }: { lead: LeadSummary; onJob: () => void; onClose: () => void }) {
  const move = useMoveLead()
  return (
    <div className="grid gap-4">
      <p>{texts.schedule}</p>
      <Answers onClose={onClose}>
        <Button
          variant="secondary"
          pending={move.isPending}
          pendingText="Moving..."
          onClick={() => move.mutate({ lead, to: 'Scheduled' }, { onSuccess: onClose })}
        >
          Move without a job
        </Button>
        <Button icon="calendar" onClick={onJob}>
          Add a job
        </Button>
      </Answers>
    </div>
  )
}

function Answers({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      {children}
    </div>
  )
}
