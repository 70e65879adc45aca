import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { FileMoment, DocumentCategory } from '@/domain/job'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { jobsMessages as texts } from './messages'
import { jobQueries } from './queries'

/** Shared fields of all files of a request: time of photos, type of documents. */
export type FileDetails =
  | { moment: FileMoment; caption?: string; /** The photo that was drawn on. */ madeFrom?: string }
  | { category: DocumentCategory }

/** Files that go in one request; `key` tells one such request from the next. */
export type FileBatch = { key: string; files: readonly File[]; about: FileDetails }

function toFormData({ files, about }: FileBatch): FormData {
  const body = new FormData()
  for (const [field, value] of Object.entries(about)) body.append(field, value)
  for (const file of files) body.append('files', file, file.name)
  return body
}

/** Sends files of the job. Sent again after a broken line, they are stored once. The panel says when it fails. */
export function useAddFiles(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (batch: FileBatch) => {
      const content = [batch.about, batch.files.map(({ name, size, lastModified }) => [name, size, lastModified])]
      return unwrap(
        api.POST('/api/jobs/{id}/files', {
          params: { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(`job-files:${batch.key}`, content) } },
          // The body is made by the serializer, for files have no place in JSON; this one satisfies the type.
          body: { files: [] },
          bodySerializer: () => toFormData(batch),
        }),
      )
    },
    onSuccess: (_files, { key }) => clearSubmissionKey(`job-files:${key}`),
    meta: { failure: false, invalidates: [jobQueries.detail(orgId, id).queryKey] },
  })
}

export function useRemoveFile(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (fileId: string) => unwrap(api.DELETE('/api/files/{id}', { params: { path: { id: fileId } } })),
    meta: {
      success: texts.files.removed,
      failure: texts.files.removeFailed,
      invalidates: [jobQueries.detail(orgId, id).queryKey],
    },
  })
}
