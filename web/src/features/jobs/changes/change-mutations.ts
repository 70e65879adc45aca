// Writes a change order, and shows before what it would look like. What one can do with it afterwards is any offer's.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { aroundLead } from '@/domain/query-keys'
import { attachmentName, saveFile } from '@/lib/download'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { offerMessages } from '@/features/paper/offer/messages'
import { sendingWords } from '@/features/paper/way-words'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { jobsMessages } from '../messages'
import type { JobDetail } from '../types'

const { changes: texts } = jobsMessages

function sayMade({ changeOrder: { number }, delivery }: Schema['ChangeOrderMade']): void {
  const { ways, rest, waits } = sendingWords(delivery)
  const unsent = waits ? `${number} waits to be sent.` : `${number} was not sent.`
  const how = ways === '' ? unsent : `${number} went out by ${ways}.`
  toast.success(ways === '' ? texts.made : texts.sent, `${how} ${rest}`.trim())
}

/** Writes one for the job; pressed twice, it is one. */
export function useMakeChange({ id, leadId }: JobDetail) {
  const { orgId } = useCurrentUser()
  const draft = `change-order:${id}`
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const made = await unwrap(api.POST('/api/jobs/{id}/change-orders', { params, body }))
      clearSubmissionKey(draft)
      return made
    },
    onSuccess: sayMade,
    meta: { failure: texts.makeFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Downloads what it would look like; nothing is stored. */
export function usePreviewChange(jobId: string) {
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id: jobId }, query: { format: 'pdf' as const } }
      const { data, response } = await unwrapWithResponse(
        api.POST('/api/jobs/{id}/change-orders/preview', { params, body, parseAs: 'blob' }),
      )
      saveFile(data, attachmentName(response, 'Change order draft.pdf'))
    },
    meta: { failure: offerMessages.previewFailed },
  })
}
