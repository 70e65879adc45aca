// The step after completion: send the invoice, collect it, or request a review.
import { useQuery } from '@tanstack/react-query'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { type JobAction, REQUEST_REVIEW } from '../lib/actions'
import { type CompletionStep, getCompletionStep } from '../lib/completion-step'
import { jobsMessages } from '../messages'
import { jobQueries } from '../queries'
import type { JobDetail } from '../types'

const WIDE_CLASS = 'flex-1 lg:min-w-40'

/** What is left to do for a finished job; undefined while it is unknown, and where nothing is left. */
export function useCompletionStep(job: JobDetail): CompletionStep | undefined {
  const { orgId, role } = useCurrentUser()
  const isOffices = job.status === 'Completed' && role !== 'crew'
  const { data, isError } = useQuery({ ...jobQueries.money(orgId, job.leadId), enabled: isOffices })
  return isOffices && (data || isError) ? getCompletionStep(job, data) : undefined
}

type CompletionActionProps = {
  job: JobDetail
  step: CompletionStep | undefined
  isOnline: boolean
  onRun: (action: JobAction) => void
  onInvoice: () => void
}

export function CompletionAction({ job, step, isOnline, onRun, onInvoice }: CompletionActionProps) {
  switch (step?.kind) {
    case undefined:
      return <p className="flex-1 text-note text-muted lg:hidden">{jobsMessages.nothingLeft}</p>
    case 'send_draft':
      return (
        <LinkButton to={paths.invoice(step.invoiceId)} icon="send" className={WIDE_CLASS}>
          {t('Send invoice {amount}', { amount: formatMoney(step.amount) })}
        </LinkButton>
      )
    case 'new_invoice':
      return (
        <Button icon="send" className={WIDE_CLASS} disabled={!isOnline} onClick={onInvoice}>
          {t('Send invoice {amount}', { amount: formatMoney(step.amount) })}
        </Button>
      )
    case 'collect':
      return (
        <LinkButton
          to={step.invoiceId ? paths.invoice(step.invoiceId) : `${paths.lead(job.leadId)}?do=collect`}
          icon="dollar"
          className={WIDE_CLASS}
        >
          {t('Collect {amount}', { amount: formatMoney(step.amount) })}
        </LinkButton>
      )
    case 'request_review':
      return (
        <Button
          icon={REQUEST_REVIEW.icon}
          variant="secondary"
          className={WIDE_CLASS}
          disabled={!isOnline}
          onClick={() => onRun(REQUEST_REVIEW)}
        >
          {REQUEST_REVIEW.label}
        </Button>
      )
  }
}
