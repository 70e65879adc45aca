import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ApiError, unwrap, unwrapWithResponse } from '@/api/client'
import { leadsKey } from '@/domain/query-keys'
import { UNDO_MS } from '@/domain/job'
import { type ExportFormat, getAttachmentName, saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { queueOffline, runOrQueue } from '@/offline/outbox/queue-command'
import { showQueuedToast } from '@/offline/outbox/queued-line'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages as texts } from './messages'
import { toJobQuery, type JobFilters, jobQueries } from './queries'
import type { JobChange, JobDetail, NewJob, SlotChange, StatusChange } from './types'

/** How a job is named where it is not seen: `#1007, Carla Customer`. */
export const formatJobName = ({ number, customerName }: Pick<JobDetail, 'number' | 'customerName'>) =>
  `#${number}, ${customerName}`

/** All queries with a job, and those of its lead. */
function relatedKeys(orgId: string) {
  return [jobQueries.all(orgId), leadsKey(orgId)] as const
}

function cacheJob(client: QueryClient, orgId: string, job: JobDetail): void {
  client.setQueryData(jobQueries.detail(orgId, job.id).queryKey, job)
}

/** Downloads the jobs, those of the filters where there are any. */
export function useExportJobs(format: ExportFormat, filters: JobFilters) {
  return useMutation({
    mutationFn: async () => {
      const query = { format, ...toJobQuery(filters) }
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/jobs/export', { params: { query }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `jobs.${format}`))
    },
    meta: { success: { title: texts.export.title, description: texts.export[format] }, failure: texts.export.failure },
  })
}

const NEW_JOB_FORM = 'job'

/** Adds a job; pressed twice, it is one. The form itself says what the server does not take. */
export function useAddJob() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewJob) =>
      unwrap(
        api.POST('/api/jobs', {
          params: { header: { 'Idempotency-Key': getSubmissionKey(NEW_JOB_FORM, body) } },
          body,
        }),
      ),
    onSuccess: (job) => {
      clearSubmissionKey(NEW_JOB_FORM)
      cacheJob(client, orgId, job)
      toast.success(texts.add.success, formatJobName(job))
    },
    meta: { failure: texts.add.failure, invalidates: relatedKeys(orgId) },
  })
}

/** Changes the job's details, not its time, crew or status. */
export function useEditJob(id: string) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: JobChange) => unwrap(api.PATCH('/api/jobs/{id}', { params: { path: { id } }, body })),
    onSuccess: (job) => cacheJob(client, orgId, job),
    // After a concurrent change the page shows the current state.
    onError: () => void client.invalidateQueries({ queryKey: jobQueries.detail(orgId, id).queryKey }),
    meta: { ...texts.edit, invalidates: relatedKeys(orgId) },
  })
}

/** Takes back the last change, for a minute. */
export function useUndoJobChange() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (eventId: string) => unwrap(api.POST('/api/work/{eventId}/undo', { params: { path: { eventId } } })),
    onSuccess: ({ note }) => {
      // What the customer knows of it is read for as long as something can be done about it.
      if (note) toast.show(texts.undo.success.title, { description: note, durationMs: UNDO_MS })
      else toast.success(texts.undo.success.title, texts.undo.success.description)
    },
    meta: { failure: texts.undo.failure, invalidates: relatedKeys(orgId) },
  })
}

/** Toast with undo. */
function useUndoToast() {
  const { mutate } = useUndoJobChange()
  return (title: string, description: string, eventId: string | undefined) => {
    toast.show(title, {
      description,
      ...(eventId ? { durationMs: UNDO_MS, action: { label: t('Undo'), onAction: () => mutate(eventId) } } : {}),
    })
  }
}

type ToastText = { title: string; description: string }

/** Gives the job a time and a crew, or takes them away. `told` is the toast text. */
export function useScheduleJob(id: string) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const say = useUndoToast()
  const form = `job-schedule:${id}`
  return useMutation({
    mutationFn: ({ change }: { change: SlotChange; toastText: ToastText }) =>
      unwrap(
        api.POST('/api/jobs/{id}/schedule', {
          params: { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(form, change) } },
          body: change,
        }),
      ),
    onSuccess: ({ job, conflicts }, { toastText }) => {
      clearSubmissionKey(form)
      cacheJob(client, orgId, job)
      const overlaps = conflicts.map(({ number }) => `#${number}`).join(', ')
      say(
        toastText.title,
        overlaps === ''
          ? toastText.description
          : t('{description}. Overlaps {jobs}.', { description: toastText.description, jobs: overlaps }),
        job.undo?.eventId,
      )
    },
    onError: () => void client.invalidateQueries({ queryKey: jobQueries.detail(orgId, id).queryKey }),
    meta: { failure: texts.schedule.failure, invalidates: relatedKeys(orgId) },
  })
}

/** The server wants a photo before the job is done. */
export function isMissingPhotos(error: unknown): boolean {
  return error instanceof ApiError && error.errors['photos'] !== undefined
}

/** Starts, ends, reopens, cancels or restores. A photo that is missing is the screen's matter: it asks for it. */
export function useChangeJobStatus(job: Pick<JobDetail, 'id' | 'version'>) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const say = useUndoToast()
  const { id, version } = job
  const form = `job-status:${id}`
  return useMutation({
    mutationFn: ({ change }: { change: StatusChange; title: string }) =>
      unwrap(
        api.POST('/api/jobs/{id}/status', {
          params: { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(form, [version, change]) } },
          body: change,
        }),
      ),
    onSuccess: (changed, { title }) => {
      clearSubmissionKey(form)
      cacheJob(client, orgId, changed)
      say(title, formatJobName(changed), changed.undo?.eventId)
    },
    onError: (error) => {
      if (!isMissingPhotos(error)) void client.invalidateQueries({ queryKey: jobQueries.detail(orgId, id).queryKey })
    },
    meta: { failure: (error) => !isMissingPhotos(error) && texts.status.failure, invalidates: relatedKeys(orgId) },
  })
}

/** Without a connection the note is queued. */
export function useAddJobNote(job: Pick<JobDetail, 'id' | 'number' | 'customerName'>) {
  const { orgId } = useCurrentUser()
  const { id } = job
  const form = `job-note:${id}`
  return useMutation({
    mutationFn: async (body: string) => {
      if (await queueOffline({ jobId: id, jobName: formatJobName(job), command: { kind: 'note', body } }))
        return undefined
      return unwrap(
        api.POST('/api/jobs/{id}/notes', {
          params: { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(form, body) } },
          body: { body },
        }),
      )
    },
    onSuccess: (note) => {
      clearSubmissionKey(form)
      if (note) toast.success(texts.note.success.title)
    },
    meta: { failure: texts.note.failure, invalidates: [jobQueries.detail(orgId, id).queryKey] },
  })
}

/** Ticks a line of the checklist, or takes the tick away. Without a connection it is queued. */
export function useCheckItem(checked: Pick<JobDetail, 'id' | 'number' | 'customerName'>) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const { id } = checked
  return useMutation({
    mutationFn: ({ checkId, done }: { checkId: string; done: boolean }) => {
      const change = { params: { path: { id, checkId } }, body: { done, chosenAt: new Date().toISOString() } }
      return runOrQueue(() => unwrap(api.PATCH('/api/jobs/{id}/checklist/{checkId}', change)), {
        jobId: id,
        jobName: formatJobName(checked),
        command: { kind: 'check', checkId, done },
      })
    },
    onSuccess: (job) => {
      if (job) cacheJob(client, orgId, job)
      else showQueuedToast()
    },
    meta: { failure: texts.check.failure },
  })
}
