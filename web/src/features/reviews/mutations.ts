import { useMutation } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { customersKey, jobsKey, leadsKey } from '@/domain/query-keys'
import { type ExportFormat, getAttachmentName, saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { runOrQueue } from '@/offline/outbox/queue-command'
import { showQueuedToast } from '@/offline/outbox/queued-line'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { reviewsMessages as texts } from './messages'
import { toReviewQuery, type ReviewFilters, reviewQueries } from './queries'
import type { ReviewAsk, NewReview, Review, ReviewImport } from './types'

/** Everything that tells of a review: its lead and job do too. */
const relatedKeys = (orgId: string) => [reviewQueries.all(orgId), leadsKey(orgId), jobsKey(orgId)] as const

/** Downloads the reviews, those of the filters where there are any. */
export function useExportReviews(format: ExportFormat, filters: ReviewFilters) {
  return useMutation({
    mutationFn: async () => {
      // Whose they are is no question of the file's.
      const query = { format, ...toReviewQuery({ ...filters, unmatched: false }) }
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/reviews/export', { params: { query }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `reviews.${format}`))
    },
    meta: { success: { title: texts.export.title, description: texts.export[format] }, failure: texts.export.failure },
  })
}

const NEW_REVIEW_FORM = 'review'

/** Adds a review manually; a repeated press adds one. */
export function useAddReview() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async (body: NewReview) => {
      const added = await unwrap(
        api.POST('/api/reviews', {
          params: { header: { 'Idempotency-Key': getSubmissionKey(NEW_REVIEW_FORM, body) } },
          body,
        }),
      )
      clearSubmissionKey(NEW_REVIEW_FORM)
      return added
    },
    meta: { success: texts.added, failure: texts.addFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Removes an entered or imported review; those by customers cannot be removed. */
export function useRemoveReview() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/reviews/{id}', { params: { path: { id } } })),
    meta: { success: texts.removed, failure: texts.removeFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Sends the file as it is, whatever letters it is written in: the server finds out. */
function postImport(file: File, dryRun: boolean): Promise<ReviewImport> {
  const init = {
    params: { query: { dryRun: dryRun ? 'true' : 'false' } },
    body: '',
    bodySerializer: () => file,
    headers: { 'Content-Type': 'text/csv' },
  } as const
  return unwrap(api.POST('/api/reviews/import', init))
}

/** Preview of an import; nothing is stored. Errors of the whole file are shown in the dialog. */
export function usePreviewReviewImport() {
  return useMutation({ mutationFn: (file: File) => postImport(file, true), meta: { failure: false } })
}

/** Takes a list of reviews over. */
export function useImportReviews() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (file: File) => postImport(file, false),
    onSuccess: ({ added, same }) => {
      toast.success(
        texts.imported,
        same > 0 ? t('{added} added, {same} here already.', { added, same }) : t('{added} added.', { added }),
      )
    },
    meta: { failure: texts.importFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Whose a review is; a null customer says that it is none of theirs. */
export type ReviewMatchChoice = { customerId: string | null; jobId: string | null; /** For the toast. */ name: string }

export function useMatchReview(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: ({ customerId, jobId }: ReviewMatchChoice) =>
      unwrap(api.POST('/api/reviews/{id}/match', { params: { path: { id } }, body: { customerId, jobId } })),
    onSuccess: (_matched, { customerId, name }) => {
      if (customerId === null) toast.success(texts.matchedNobody.title, texts.matchedNobody.description)
      else toast.success(texts.matched, t('The review is linked to {name}.', { name }))
    },
    meta: { failure: texts.matchFailed, invalidates: relatedKeys(orgId) },
  })
}

/** Keeps an answer beside the review, or takes it away; nothing is posted anywhere. Queued without a connection. */
export function useSaveReply({ id, customer_name: name }: Pick<Review, 'id' | 'customer_name'>) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (text: string | null) =>
      runOrQueue(() => unwrap(api.POST('/api/reviews/{id}/reply', { params: { path: { id } }, body: { text } })), {
        jobId: id,
        jobName: name ?? texts.anonymous,
        command: { kind: 'review_reply', text },
      }),
    onSuccess: (kept, text) => {
      if (!kept) return showQueuedToast()
      const { title, description } = text === null ? texts.replyRemoved : texts.replyKept
      toast.success(title, description)
    },
    meta: { failure: texts.replyFailed, invalidates: [reviewQueries.all(orgId)] },
  })
}

/** Stops the requests to a customer; with a complaint until it is settled. */
export function useStopReviewRequests({ id }: Pick<ReviewAsk, 'id'>) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (problem: boolean) =>
      unwrap(api.POST('/api/reviews/asks/{id}/stop', { params: { path: { id } }, body: { problem } })),
    onSuccess: (_stopped, problem) => {
      const { title, description } = problem ? texts.asks.problem : texts.asks.stopped
      toast.success(title, description)
    },
    meta: { failure: texts.asks.stopFailed, invalidates: [...relatedKeys(orgId), customersKey(orgId)] },
  })
}

/** Downloads a month's report with all its rows. */
export function useExportReviewReport(month: string) {
  return useMutation({
    mutationFn: async () => {
      const query = { month, format: 'csv' } as const
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/reviews/report', { params: { query }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `review-requests-${month}.csv`))
    },
    meta: { success: texts.report.exported, failure: texts.export.failure },
  })
}
