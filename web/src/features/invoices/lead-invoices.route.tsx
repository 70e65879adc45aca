// The invoices of a lead, on its page and on those of its jobs. The crew is not told of money.
import { useOutletContext } from 'react-router-dom'
import type { JobSlot } from '@/domain/job'
import { useCurrentUser } from '@/session/use-session'
import { InvoicesCard } from './components/invoices-card'

/** One screen for both, so that what it opens is loaded with either. */
export function Component() {
  const { leadId, jobId } = useOutletContext<Pick<JobSlot, 'leadId'> & Partial<JobSlot>>()
  const { role } = useCurrentUser()
  return role === 'crew' ? null : <InvoicesCard leadId={leadId} jobId={jobId} />
}
