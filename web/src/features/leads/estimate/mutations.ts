// What one can do with estimates: make one, send it again, take it back, open its PDF.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { attachmentName, saveFile } from '@/lib/download'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { aroundLead } from '../lib/invalidated'
import { deliveryWords, missedWords, wayWords } from '@/paper/way-words'
import { leadsMessages } from '../messages'
import type { EstimateView, LeadDetail } from '../queries'

const { estimates: texts } = leadsMessages

/** Makes the estimate, saves its PDF under the server's name, and says how it went out. */
export function useMakeEstimate({ id, name, email, phone }: LeadDetail) {
  const { orgId } = useCurrentUser()
  const draft = `estimate:${id}`
  return useMutation({
    mutationFn: async (body: Schema['EstimateRequest']) => {
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const { data, response } = await unwrapWithResponse(api.POST('/api/leads/{id}/estimate', { params, body, parseAs: 'blob' }))
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
      const { data, response } = await unwrapWithResponse(api.POST('/api/estimates/preview', { params: { query: { format: 'pdf' } }, body: { ...body, leadId }, parseAs: 'blob' }))
      saveFile(data, attachmentName(response, 'Estimate draft.pdf'))
    },
    meta: { failure: texts.previewFailed },
  })
}

/** Makes another version of an estimate, which goes out by the ways asked for. */
export function useReviseEstimate(leadId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async ({ id, body }: { id: string; body: Schema['EstimateRequest'] }) => {
      const draft = `revise:${id}`
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const made = await unwrap(api.POST('/api/estimates/{id}/revise', { params, body }))
      clearSubmissionKey(draft)
      return made
    },
    onSuccess: ({ number, sentAt }) => {
      toast.success(texts.revised, sentAt ? `${number} is on its way to the customer.` : `${number} was not sent.`)
    },
    meta: { failure: texts.reviseFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Gives an estimate another address; the one it had opens nothing any more. */
export function useRenewLink(leadId: string, estimateId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/estimates/{id}/link', { params: { path: { id: estimateId } }, body: { revoke: true } })),
    meta: { success: texts.linkRenewed, failure: texts.linkFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** What went out and what did not, as the toast says it. */
function sayDelivery({ sent, notSent }: Schema['PaperSending']): void {
  const ways = wayWords(sent.map(({ channel }) => channel))
  const why = missedWords(notSent)
  if (ways === '') toast.error(texts.notSent.title, why || texts.notSent.description)
  else toast.success(texts.sent, `By ${ways}.${why ? ` ${why}` : ''}`)
}

/** Sends it once more because a person says so; its reminders begin anew. */
export function useSendEstimate(leadId: string, estimateId: string) {
  const { orgId } = useCurrentUser()
  const draft = `send:${estimateId}`
  return useMutation({
    mutationFn: async (body: { email: boolean; text: boolean }) => {
      const params = { path: { id: estimateId }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const delivery = await unwrap(api.POST('/api/estimates/{id}/send', { params, body }))
      clearSubmissionKey(draft)
      return delivery
    },
    onSuccess: sayDelivery,
    meta: { failure: texts.notSent, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Takes an estimate back: its link says that it was withdrawn. */
export function useWithdrawEstimate(leadId: string, estimateId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (reason: string) => unwrap(api.POST('/api/estimates/{id}/withdraw', { params: { path: { id: estimateId } }, body: { reason } })),
    meta: { success: texts.withdrawn, failure: texts.withdrawFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Downloads the paper as it was stored, or the copy that the customer signed. */
export function useEstimatePdf({ id, number }: Pick<EstimateView, 'id' | 'number'>, copy?: 'signed') {
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id }, query: copy ? { copy } : {} }
      const { data, response } = await unwrapWithResponse(api.GET('/api/estimates/{id}/pdf', { params, parseAs: 'blob' }))
      saveFile(data, attachmentName(response, `Estimate ${number}.pdf`))
    },
    meta: { failure: texts.openFailed },
  })
}
