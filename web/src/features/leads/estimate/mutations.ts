// Creation and preview of estimates; later steps are estimate mutations too.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrapWithResponse } from '@/api/client'
import { leadRelatedKeys } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { estimateMessages } from '@/features/documents/estimate/messages'
import { describeDelivery } from '@/features/documents/delivery-text'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { leadsMessages } from '../messages'
import type { LeadDetail } from '../queries'

const { estimates: texts } = leadsMessages

/** Makes the estimate, saves its PDF under the server's name, and says how it went out. */
export function useCreateEstimate({ id, name, email, phone }: LeadDetail) {
  const { orgId } = useCurrentUser()
  const draft = `estimate:${id}`
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const { data, response } = await unwrapWithResponse(
        api.POST('/api/leads/{id}/estimate', { params, body, parseAs: 'blob' }),
      )
      clearSubmissionKey(draft)
      saveFile(data, getAttachmentName(response, `${name} - Estimate.pdf`))
      return describeDelivery(response.headers, Boolean(email) || Boolean(phone))
    },
    onSuccess: (delivered) => {
      toast.success(texts.made, delivered)
    },
    meta: { failure: texts.makeFailed, invalidates: leadRelatedKeys(orgId, id) },
  })
}

/** Downloads what the estimate would look like; nothing is stored. */
export function usePreviewEstimate(leadId: string) {
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const { data, response } = await unwrapWithResponse(
        api.POST('/api/estimates/preview', {
          params: { query: { format: 'pdf' } },
          body: { ...body, leadId },
          parseAs: 'blob',
        }),
      )
      saveFile(data, getAttachmentName(response, 'Estimate draft.pdf'))
    },
    meta: { failure: estimateMessages.previewFailed },
  })
}
