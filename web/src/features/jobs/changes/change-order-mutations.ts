// Creation and preview of change orders; later steps are estimate mutations too.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { leadRelatedKeys } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { estimateMessages } from '@/features/documents/estimate/messages'
import { describeSending } from '@/features/documents/channel-text'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '../messages'
import type { JobDetail } from '../types'

const { changes: texts } = jobsMessages

function showCreatedToast({ changeOrder: { number }, delivery }: Schema['ChangeOrderMade']): void {
  const { sent: channels, unsent: unsentText, isHeld } = describeSending(delivery)
  const unsent = isHeld ? t('{number} waits to be sent.', { number }) : t('{number} was not sent.', { number })
  const how = channels === '' ? unsent : t('{number} went out by {channels}.', { number, channels })
  toast.success(channels === '' ? texts.made : texts.sent, `${how} ${unsentText}`.trim())
}

/** Writes one for the job; pressed twice, it is one. */
export function useCreateChangeOrder({ id, leadId }: JobDetail) {
  const { orgId } = useCurrentUser()
  const draft = `change-order:${id}`
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const made = await unwrap(api.POST('/api/jobs/{id}/change-orders', { params, body }))
      clearSubmissionKey(draft)
      return made
    },
    onSuccess: showCreatedToast,
    meta: { failure: texts.makeFailed, invalidates: leadRelatedKeys(orgId, leadId) },
  })
}

/** Downloads what it would look like; nothing is stored. */
export function usePreviewChangeOrder(jobId: string) {
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id: jobId }, query: { format: 'pdf' as const } }
      const { data, response } = await unwrapWithResponse(
        api.POST('/api/jobs/{id}/change-orders/preview', { params, body, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, 'Change order draft.pdf'))
    },
    meta: { failure: estimateMessages.previewFailed },
  })
}
