// Invoices on the lead and job pages, hidden from crews.
import { useOutletContext } from 'react-router-dom'
import type { JobRouteProps } from '@/domain/job'
import { useCurrentUser } from '@/features/session/use-session'
import { InvoicesCard } from './components/invoices-card'

/** One screen for both, so that what it opens is loaded with either. */
export function Component() {
  const { leadId, jobId } = useOutletContext<Pick<JobRouteProps, 'leadId'> & Partial<JobRouteProps>>()
  const { role } = useCurrentUser()
  return role === 'crew' ? null : <InvoicesCard leadId={leadId} jobId={jobId} />
}
