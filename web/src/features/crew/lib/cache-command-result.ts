// Writes outbox responses to the query cache before any refetch.
import type { QueryClient } from '@tanstack/react-query'
import { jobQueries } from '@/features/jobs/queries'
import type { AutomatedFile, JobDetail, JobSummary } from '@/features/jobs/types'
import { cacheSentMark } from '@/features/worklist/lib/cache-sent-mark'
import type { DeliveryOutlook } from '@/domain/delivery-outlook'
import { isOfficeCommand, type OutboxEntry } from '@/offline/outbox/entry'
import { crewQueries } from '../queries'

type Note = JobDetail['notes'][number]
type CustomerNotice = { sent: boolean; reason?: string | null; outlook?: DeliveryOutlook }

function updateCachedJob(
  client: QueryClient,
  orgId: string,
  jobId: string,
  change: (job: JobDetail) => JobDetail,
): void {
  client.setQueryData(jobQueries.detail(orgId, jobId).queryKey, (job: JobDetail | undefined) => job && change(job))
}

function cacheJob(client: QueryClient, orgId: string, job: JobDetail, timeZone: string): void {
  client.setQueryData(jobQueries.detail(orgId, job.id).queryKey, job)
  const { id, status, onMyWayAt = null, version } = job
  client.setQueryData(crewQueries.days(orgId, timeZone).queryKey, (jobs: JobSummary[] | undefined) =>
    jobs?.map((line) => (line.id === id ? { ...line, status, onMyWayAt, version } : line)),
  )
}

/** Puts it where it is shown. */
export function cacheCommandResult(
  client: QueryClient,
  { orgId, timeZone }: { orgId: string; timeZone: string },
  { jobId, command }: OutboxEntry,
  answer: unknown,
): void {
  if (isOfficeCommand(command)) {
    // The screens of the others show the answer themselves, or fetch it again.
    cacheSentMark(client, orgId, jobId, command)
    return
  }
  switch (command.kind) {
    case 'note':
      updateCachedJob(client, orgId, jobId, (job) => ({
        ...job,
        notes: [answer as Note, ...job.notes.filter(({ id }) => id !== (answer as Note).id)],
      }))
      return
    case 'photo': {
      const added = answer as AutomatedFile[]
      const ids = new Set(added.map(({ id }) => id))
      updateCachedJob(client, orgId, jobId, (job) => ({
        ...job,
        files: [...added, ...job.files.filter(({ id }) => !ids.has(id))],
      }))
      return
    }
    case 'status':
    case 'on_my_way':
    case 'late':
    case 'check':
      cacheJob(client, orgId, answer as JobDetail, timeZone)
  }
}

/** Whether the customer is notified, and the state of the message; undefined without a notice. */
export function getCustomerNotice(answer: unknown): CustomerNotice | undefined {
  const notice = typeof answer === 'object' && answer !== null && 'told' in answer ? answer.told : undefined
  if (typeof notice !== 'object' || notice === null || !('sent' in notice)) return undefined
  return { ...(notice as CustomerNotice), outlook: (answer as { outlook?: DeliveryOutlook }).outlook }
}
