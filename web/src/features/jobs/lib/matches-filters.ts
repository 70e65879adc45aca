// Server filters applied to loaded jobs.
import { JOB_STATUSES } from '@/domain/job'
import { serviceLabel } from '@/domain/lead'
import type { JobFilters } from '../queries'
import type { JobSummary } from '../types'

/** Status and crew exactly; the search over number, customer, service and place without regard to case. */
export function matchesFilters(job: JobSummary, { status, crewId, q }: JobFilters): boolean {
  if (status !== '' && JOB_STATUSES[job.status].value !== status) return false
  if (crewId !== '' && job.crewId !== crewId) return false
  const wanted = q.trim().toLowerCase().replace(/^#/, '')
  return (
    wanted === '' ||
    [String(job.number), job.customer, job.service, serviceLabel(job.service), job.location].some((text) =>
      text.toLowerCase().includes(wanted),
    )
  )
}
