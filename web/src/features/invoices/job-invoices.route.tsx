// The invoices of a job's lead, on the job's page. The crew is not told of money.
import { useOutletContext } from 'react-router-dom'
import type { JobSlot } from '@/domain/job'
import { useCurrentUser } from '@/session/use-session'
import { InvoicesCard } from './components/invoices-card'

export function Component() {
  const { leadId, jobId } = useOutletContext<JobSlot>()
  const { role } = useCurrentUser()
  return role === 'crew' ? null : <InvoicesCard leadId={leadId} jobId={jobId} />
}
