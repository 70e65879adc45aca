// Dialogs of a move: stage, reason, schedule, payment.
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { Outlet } from 'react-router-dom'
import { LEAD_STAGE_ORDER, LEAD_STAGES, type LeadStage, type ScheduleRouteProps, type LeadSummary } from '@/domain/lead'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon, type IconName } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'
import { getMoveOutcome } from './move-lead'
import { boardMessages as texts } from './messages'
import { useMoveLead } from './mutations'
import type { BoardColumn } from './queries'

const LeadPaymentDialog = lazy(async () => ({ default: (await import('../money/payment-dialog')).LeadPaymentDialog }))

/** A reason shorter than this is none. */
const MIN_REASON_LENGTH = 3

/** What a person has begun: `to` is not known while they look at the menu. */
export type PendingMove = {
  lead: LeadSummary
  to?: LeadStage
  step: 'menu' | 'reason' | 'schedule' | 'job' | 'payment'
}

type MoveFlowProps = {
  pendingMove: PendingMove
  column: BoardColumn
  onAsk: (lead: LeadSummary, to: LeadStage) => void
  onStep: (pendingMove: PendingMove) => void
  onClose: () => void
}

export function MoveFlow({ pendingMove, column, onAsk, onStep, onClose }: MoveFlowProps) {
  const { lead, to, step } = pendingMove
  if (step === 'payment')
    return (
      <Suspense fallback={null}>
        <LeadPaymentDialog lead={lead} onClose={onClose} />
      </Suspense>
    )
  // Jobs belong to another feature, which puts its dialog here.
  if (step === 'job')
    return (
      <Suspense fallback={null}>
        <Outlet context={{ lead: { id: lead.id, name: lead.name }, onClose } satisfies ScheduleRouteProps} />
      </Suspense>
    )
  const title =
    to === undefined
      ? t('Move {name}', { name: lead.name })
      : t('Move {name} to {stage}', { name: lead.name, stage: LEAD_STAGES[to].label })
  return (
    <Dialog open onClose={onClose} title={title}>
      {step === 'menu' && <StageMenu column={column} onPick={(stage) => onAsk(lead, stage)} />}
      {step === 'reason' && to && <ReasonForm lead={lead} to={to} onClose={onClose} />}
      {step === 'schedule' && <Schedule lead={lead} onJob={() => onStep({ lead, step: 'job' })} onClose={onClose} />}
    </Dialog>
  )
}

function StageMenu({ column, onPick }: { column: BoardColumn; onPick: (to: LeadStage) => void }) {
  const others = LEAD_STAGE_ORDER.filter((stage) => stage !== column.stage)
  return (
    <ul className="grid gap-2">
      {others.map((stage) => {
        const choice = getMoveOutcome(column, stage)
        const { label, icon } = LEAD_STAGES[stage]
        return (
          <li key={stage}>
            {choice.kind === 'refused' ? (
              <MoveRefused label={label} icon={icon} why={choice.why} />
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
function MoveRefused({ label, icon, why }: { label: string; icon: IconName; why: string }) {
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

function ReasonForm({ lead, to, onClose }: { lead: LeadSummary; to: LeadStage; onClose: () => void }) {
  const id = useId()
  const [reason, setReason] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const move = useMoveLead()
  const isFault = isChecked && reason.trim().length < MIN_REASON_LENGTH
  const send = () => {
    setIsChecked(true)
    if (reason.trim().length < MIN_REASON_LENGTH) return
    move.mutate({ lead, to, reason: reason.trim() }, { onSuccess: onClose })
  }
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <label htmlFor={id} className="font-semibold">
          {t('Why does it go back?')}
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
            <StatusLine tone="error" icon="alert">
              {texts.reason}
            </StatusLine>
          </div>
        )}
      </div>
      <ConfirmButtons onClose={onClose}>
        <Button icon="undo" pending={move.isPending} pendingText={t('Moving...')} onClick={send}>
          {t('Move back')}
        </Button>
      </ConfirmButtons>
    </div>
  )
}

function Schedule({ lead, onJob, onClose }: { lead: LeadSummary; onJob: () => void; onClose: () => void }) {
  const move = useMoveLead()
  return (
    <div className="grid gap-4">
      <p>{texts.schedule}</p>
      <ConfirmButtons onClose={onClose}>
        <Button
          variant="secondary"
          pending={move.isPending}
          pendingText={t('Moving...')}
          onClick={() => move.mutate({ lead, to: 'Scheduled' }, { onSuccess: onClose })}
        >
          {t('Move without a job')}
        </Button>
        <Button icon="calendar" onClick={onJob}>
          {t('Add a job')}
        </Button>
      </ConfirmButtons>
    </div>
  )
}

function ConfirmButtons({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button variant="ghost" onClick={onClose}>
        {t('Cancel')}
      </Button>
      {children}
    </div>
  )
}
