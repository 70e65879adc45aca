// What the server answers to something of the outbox is shown at once, before anything is fetched anew.
import type { QueryClient } from '@tanstack/react-query'
import { jobQueries } from '@/features/jobs/queries'
import type { AutomatedFile, JobDetail, JobSummary } from '@/features/jobs/types'
import type { Outlook } from '@/domain/outlook'
import type { Entry } from '@/offline/outbox/entry'
import { crewQueries } from '../queries'

type Note = JobDetail['notes'][number]
type Told = { sent: boolean; reason?: string | null; outlook?: Outlook }

function changeJob(client: QueryClient, orgId: string, jobId: string, change: (job: JobDetail) => JobDetail): void {
  client.setQueryData(jobQueries.detail(orgId, jobId).queryKey, (job: JobDetail | undefined) => job && change(job))
}

function keepJob(client: QueryClient, orgId: string, job: JobDetail, timeZone: string): void {
  client.setQueryData(jobQueries.detail(orgId, job.id).queryKey, job)
  const { id, status, onMyWayAt = null, version } = job
  client.setQueryData(crewQueries.days(orgId, timeZone).queryKey, (jobs: JobSummary[] | undefined) =>
    jobs?.map((line) => (line.id === id ? { ...line, status, onMyWayAt, version } : line)),
  )
}

/** Puts it where it is shown. */
export function keepAnswer(
  client: QueryClient,
  { orgId, timeZone }: { orgId: string; timeZone: string },
  { jobId, command }: Entry,
  answer: unknown,
): void {
  switch (command.kind) {
    case 'note':
      changeJob(client, orgId, jobId, (job) => ({
        ...job,
        notes: [answer as Note, ...job.notes.filter(({ id }) => id !== (answer as Note).id)],
      }))
      return
    case 'photo': {
      const added = answer as AutomatedFile[]
      const ids = new Set(added.map(({ id }) => id))
      changeJob(client, orgId, jobId, (job) => ({
        ...job,
        files: [...added, ...job.files.filter(({ id }) => !ids.has(id))],
      }))
      return
    }
    case 'status':
    case 'on_my_way':
    case 'late':
    case 'check':
      keepJob(client, orgId, answer as JobDetail, timeZone)
  }
}

/** Whether the customer hears of it, and what becomes of the message; undefined where nobody was to be told. */
export function toldOf(answer: unknown): Told | undefined {
  const told = typeof answer === 'object' && answer !== null && 'told' in answer ? answer.told : undefined
  if (typeof told !== 'object' || told === null || !('sent' in told)) return undefined
  return { ...(told as Told), outlook: (answer as { outlook?: Outlook }).outlook }
}
