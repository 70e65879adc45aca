// Makes an estimate, and shows before what it would look like. What one can do with it afterwards is any offer's.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrapWithResponse } from '@/api/client'
import { aroundLead } from '@/domain/query-keys'
import { attachmentName, saveFile } from '@/lib/download'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { offerMessages } from '@/features/paper/offer/messages'
import { deliveryWords } from '@/features/paper/delivery-words'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { leadsMessages } from '../messages'
import type { LeadDetail } from '../queries'

const { estimates: texts } = leadsMessages

/** Makes the estimate, saves its PDF under the server's name, and says how it went out. */
export function useMakeEstimate({ id, name, email, phone }: LeadDetail) {
  const { orgId } = useCurrentUser()
  const draft = `estimate:${id}`
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const { data, response } = await unwrapWithResponse(
        api.POST('/api/leads/{id}/estimate', { params, body, parseAs: 'blob' }),
      )
      clearSubmissionKey(draft)
      saveFile(data, attachmentName(response, `${name} - Estimate.pdf`))
      return deliveryWords(response.headers, Boolean(email) || Boolean(phone))
    },
    onSuccess: (delivered) => {
      toast.success(texts.made, delivered)
    },
    meta: { failure: texts.makeFailed, invalidates: aroundLead(orgId, id) },
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
      saveFile(data, attachmentName(response, 'Estimate draft.pdf'))
    },
    meta: { failure: offerMessages.previewFailed },
  })
}
