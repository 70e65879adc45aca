// The next step of a lead as one button, with the quick actions under More.
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useNow } from '@/lib/hooks/use-now'
import { useOnline } from '@/lib/hooks/use-online'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button, ExternalButton } from '@/ui/button'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { HeldLeadBanner } from '../components/held-banner'
import { leadsMessages } from '../messages'
import { useMarkAnswered } from '../mutations'
import type { LeadDetail } from '../queries'
import { nextStepMessages as texts } from './messages'
import { getNextStep, getUrgentStep } from './next-step'
import { QuickActionsSheet } from './quick-actions-sheet'
import { describeStep, type StepButton, type StepTarget, type StepWords } from './step-words'
import { useLeadFacts } from './use-lead-facts'

const EstimateDialog = lazy(async () => ({ default: (await import('../estimate/estimate-dialog')).EstimateDialog }))
const ReminderDialog = lazy(async () => ({ default: (await import('../reminder/reminder-dialog')).ReminderDialog }))
const LeadPaymentDialog = lazy(async () => ({ default: (await import('../money/payment-dialog')).LeadPaymentDialog }))
const ReviewRequestDialog = lazy(async () => ({
  default: (await import('@/features/review-request/request-dialog')).ReviewRequestDialog,
}))

const TICK_MS = 15_000

type OpenDialog = 'more' | Extract<StepTarget, { opens: string }>['opens']

/** What the URL asks for is open like what was pressed. */
function useOpenDialog() {
  const [pressed, setPressed] = useState<OpenDialog>()
  const [action, ask] = usePageAction()
  const asked = action === 'estimate' ? 'estimate' : action === 'collect' ? 'payment' : undefined
  // A sheet that closes says so late, when the one it led to is open already.
  const closes = (name: OpenDialog) => () => {
    setPressed((now) => (now === name ? undefined : now))
    if (asked === name) ask(undefined)
  }
  return { open: pressed ?? asked, setOpen: setPressed, ask, closes }
}

export function NextStepCard({ lead }: { lead: LeadDetail }) {
  const { orgTimezone: timeZone } = useCurrentUser()
  const now = useNow(TICK_MS)
  const { facts, isFailed, retry } = useLeadFacts(lead.id)
  const { open, setOpen, ask, closes } = useOpenDialog()
  const step = getUrgentStep(lead) ?? (facts && getNextStep(lead, facts))
  const words = step && step.kind !== 'held' ? describeStep(step, lead, { now, timeZone }) : undefined
  return (
    <>
      {step?.kind === 'held' && <HeldLeadBanner lead={lead} reason={step.reason} />}
      <section aria-label={texts.label} className="glass-card grid gap-3 border-primary/55 p-4 sm:p-5">
        {words && <StepHeading words={words} />}
        {!step && (isFailed ? <FailedStep onRetry={retry} /> : <SkeletonLines lines={4} />)}
        <StepButtons leadId={lead.id} words={words} onAsk={ask} onOpen={setOpen} />
      </section>
      <QuickActionsSheet open={open === 'more'} onClose={closes('more')} lead={lead} facts={facts} onPick={setOpen} />
      <Suspense fallback={null}>
        {open === 'estimate' && <EstimateDialog lead={lead} onClose={closes('estimate')} />}
        {open === 'reminder' && <ReminderDialog lead={lead} onClose={closes('reminder')} />}
        {open === 'payment' && <LeadPaymentDialog lead={lead} onClose={closes('payment')} />}
        {open === 'review' && <ReviewRequestDialog target={{ kind: 'lead', id: lead.id }} onClose={closes('review')} />}
      </Suspense>
    </>
  )
}

function StepHeading({ words: { title, detail, tone, icon } }: { words: StepWords }) {
  return (
    <div className="grid gap-1">
      <h2 className="text-crew">
        <StatusLine tone={tone} icon={icon} className="text-crew!">
          {title}
        </StatusLine>
      </h2>
      {detail && <p className="text-note text-muted wrap-anywhere">{detail}</p>}
    </div>
  )
}

function MoreButton({ onOpen }: { onOpen: () => void }) {
  return (
    <Button
      variant="secondary"
      icon="dots"
      aria-haspopup="dialog"
      aria-label={t('More for this lead')}
      className="justify-self-start"
      onClick={onOpen}
    >
      {t('More')}
    </Button>
  )
}

function FailedStep({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="grid justify-items-start gap-2">
      <StatusLine tone="warning" icon="alert">
        {texts.failed.title}
      </StatusLine>
      <p className="text-note text-muted">{texts.failed.description}</p>
      <Button variant="secondary" icon="refresh" onClick={onRetry}>
        {t('Try again')}
      </Button>
    </div>
  )
}

type StepButtonsProps = {
  leadId: string
  /** Undefined while they are unknown: the quick actions keep their place. */ words: StepWords | undefined
  onAsk: (what: Extract<StepTarget, { asks: string }>['asks']) => void
  onOpen: (what: OpenDialog) => void
}

function StepButtons({ leadId, words, onAsk, onOpen }: StepButtonsProps) {
  const isOnline = useOnline()
  const navigate = useNavigate()
  const answer = useMarkAnswered(leadId)
  const run = (target: StepTarget) => {
    if ('opens' in target) onOpen(target.opens)
    else if ('marks' in target) answer.mutate(target.marks)
    else if ('asks' in target) onAsk(target.asks)
    else if ('to' in target) void navigate(target.to)
  }
  const isOff = ({ target }: StepButton) =>
    answer.isPending || (!isOnline && !('to' in target) && !('asks' in target && target.asks === 'answer'))
  const main = words?.main
  return (
    <>
      {main && <StepAction button={main} isMain isOff={isOff(main)} onRun={run} />}
      <div className="flex flex-wrap gap-2 max-sm:*:grow">
        {words?.others.map((button) => (
          <StepAction key={button.label} button={button} isOff={isOff(button)} onRun={run} />
        ))}
        <MoreButton onOpen={() => onOpen('more')} />
      </div>
      {!isOnline && <p className="text-note text-warning">{leadsMessages.offline}</p>}
    </>
  )
}

type StepActionProps = {
  button: StepButton
  isMain?: boolean
  isOff: boolean
  onRun: (target: StepTarget) => void
}

function StepAction({ button: { label, icon, target }, isMain = false, isOff, onRun }: StepActionProps) {
  const look = { icon, wide: isMain, variant: isMain ? 'primary' : 'secondary' } as const
  if ('href' in target)
    return (
      <ExternalButton href={target.href} {...look}>
        {label}
      </ExternalButton>
    )
  return (
    <Button {...look} disabled={isOff} onClick={() => onRun(target)}>
      {label}
    </Button>
  )
}
