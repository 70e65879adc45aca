// Action after completion: send the drafted invoice, else request a review.
import { useQuery } from '@tanstack/react-query'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { type JobAction, REQUEST_REVIEW } from '../lib/actions'
import { jobQueries } from '../queries'
import type { JobDetail } from '../types'

const WIDE_CLASS = 'flex-1 lg:min-w-40'

/** What is left to do for a finished job: send its drafted invoice, or ask for a review. Nothing until it is known. */
export function useCompletionAction(job: JobDetail): { draftId: string } | { action: JobAction } | undefined {
  const { orgId, role } = useCurrentUser()
  const isOffices = job.status === 'Completed' && role !== 'crew'
  const { data, isError } = useQuery({ ...jobQueries.money(orgId, job.leadId), enabled: isOffices })
  if (!isOffices || (!data && !isError)) return undefined
  const draft = data?.invoices.find(({ status, jobId }) => status === 'draft' && jobId === job.id)
  return draft ? { draftId: draft.id } : { action: REQUEST_REVIEW }
}

type CompletionActionProps = {
  completion: ReturnType<typeof useCompletionAction>
  isOnline: boolean
  onRun: (action: JobAction) => void
}

export function CompletionAction({ completion, isOnline, onRun }: CompletionActionProps) {
  if (!completion) return <p className="flex-1 text-note text-muted lg:hidden">Nothing is left to do here.</p>
  if ('draftId' in completion)
    return (
      <LinkButton to={paths.invoice(completion.draftId)} icon="send" className={WIDE_CLASS}>
        Send invoice
      </LinkButton>
    )
  const { action } = completion
  return (
    <Button
      icon={action.icon}
      variant="secondary"
      className={WIDE_CLASS}
      disabled={!isOnline}
      onClick={() => onRun(action)}
    >
      {action.label}
    </Button>
  )
}
