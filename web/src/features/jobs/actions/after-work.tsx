// What comes after the work: its invoice, where one waits to be sent, else what the customer thinks of it.
import { useQuery } from '@tanstack/react-query'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { type Action, REVIEW } from '../lib/actions'
import { jobQueries } from '../queries'
import type { JobDetail } from '../types'

const WIDE = 'flex-1 lg:min-w-40'

/** What is left of a finished job, for the office: the id of its drafted invoice, or a review to ask for; nothing until it is known. */
export function useAfterWork(job: JobDetail): { draftId: string } | { action: Action } | undefined {
  const { orgId, role } = useCurrentUser()
  const isOffices = job.status === 'Completed' && role !== 'crew'
  const { data, isError } = useQuery({ ...jobQueries.money(orgId, job.leadId), enabled: isOffices })
  if (!isOffices || (!data && !isError)) return undefined
  const draft = data?.invoices.find(({ status, jobId }) => status === 'draft' && jobId === job.id)
  return draft ? { draftId: draft.id } : { action: REVIEW }
}

type AfterWorkProps = { left: ReturnType<typeof useAfterWork>; isOnline: boolean; onRun: (action: Action) => void }

export function AfterWork({ left, isOnline, onRun }: AfterWorkProps) {
  if (!left) return <p className="flex-1 text-note text-muted lg:hidden">Nothing is left to do here.</p>
  if ('draftId' in left)
    return (
      <LinkButton to={paths.invoice(left.draftId)} icon="send" className={WIDE}>
        Send invoice
      </LinkButton>
    )
  const { action } = left
  return (
    <Button icon={action.icon} variant="secondary" className={WIDE} disabled={!isOnline} onClick={() => onRun(action)}>
      {action.label}
    </Button>
  )
}
