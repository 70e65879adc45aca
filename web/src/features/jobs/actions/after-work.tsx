// What comes after the work: its invoice, where one waits to be sent.
import { useQuery } from '@tanstack/react-query'
import { paths } from '@/app/paths'
import { useCurrentUser } from '@/session/use-session'
import { LinkButton } from '@/ui/button'
import { jobQueries } from '../queries'
import type { JobDetail } from '../types'

export function AfterWork({ job }: { job: JobDetail }) {
  const { orgId, role } = useCurrentUser()
  const { data } = useQuery({ ...jobQueries.money(orgId, job.leadId), enabled: job.status === 'Completed' && role !== 'crew' })
  const draft = data?.invoices.find(({ status, jobId }) => status === 'draft' && jobId === job.id)
  if (draft) return <LinkButton to={paths.invoice(draft.id)} icon="send" className="flex-1 lg:min-w-40">Send invoice</LinkButton>
  return <p className="flex-1 text-note text-muted lg:hidden">Nothing is left to do here.</p>
}
