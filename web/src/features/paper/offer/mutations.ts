// What one can do with an offer that is out: send it again, give it another link, take it back, open its PDF.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { aroundLead } from '@/domain/query-keys'
import { attachmentName, saveFile } from '@/lib/download'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { versionWords } from '../delivery-words'
import { sendingWords } from '../way-words'
import { offerMessages as texts } from './messages'
import { kindOf, type Offer, type OfferKind } from './types'

/** Gives it another address; the one it had opens nothing any more. */
export function useRenewLink({ id, leadId }: Offer) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST('/api/estimates/{id}/link', { params: { path: { id } }, body: { revoke: true } })),
    meta: { success: texts.linkRenewed, failure: texts.linkFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** What went out and what did not, as the toast says it. */
function sayDelivery(kind: OfferKind, delivery: Schema['PaperSending']): void {
  const said = texts.of[kind]
  const { ways, rest: why, waits } = sendingWords(delivery)
  if (ways === '' && waits) toast.success(said.waits, why)
  else if (ways === '') toast.error(said.notSent.title, why || said.notSent.description)
  else toast.success(said.sent, `By ${ways}.${why ? ` ${why}` : ''}`)
}

/** Makes another version of it, which goes out by the ways asked for. */
export function useReviseOffer(leadId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async ({ id, body }: { id: string; body: Schema['EstimateRequest'] }) => {
      const draft = `revise:${id}`
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const { data, response } = await unwrapWithResponse(api.POST('/api/estimates/{id}/revise', { params, body }))
      clearSubmissionKey(draft)
      return versionWords(data.number, response.headers)
    },
    onSuccess: (said) => {
      toast.success(texts.revised, said)
    },
    meta: { failure: texts.reviseFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Sends it once more because a person says so; its reminders begin anew. */
export function useSendOffer(offer: Offer) {
  const { orgId } = useCurrentUser()
  const { id, leadId } = offer
  const kind = kindOf(offer)
  const draft = `send:${id}`
  return useMutation({
    mutationFn: async (body: { email: boolean; text: boolean }) => {
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const delivery = await unwrap(api.POST('/api/estimates/{id}/send', { params, body }))
      clearSubmissionKey(draft)
      return delivery
    },
    onSuccess: (delivery) => sayDelivery(kind, delivery),
    meta: { failure: texts.of[kind].notSent, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Takes it back: its link says that it was withdrawn. */
export function useWithdrawOffer(offer: Offer) {
  const { orgId } = useCurrentUser()
  const { id, leadId } = offer
  const { withdrawn, withdrawFailed } = texts.of[kindOf(offer)]
  return useMutation({
    mutationFn: (reason: string) =>
      unwrap(api.POST('/api/estimates/{id}/withdraw', { params: { path: { id } }, body: { reason } })),
    meta: { success: withdrawn, failure: withdrawFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Downloads the paper as it was stored, or the copy that the customer signed. */
export function useOfferPdf({ id, number }: Pick<Offer, 'id' | 'number'>, copy?: 'signed') {
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id }, query: copy ? { copy } : {} }
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/estimates/{id}/pdf', { params, parseAs: 'blob' }),
      )
      saveFile(data, attachmentName(response, `${number}.pdf`))
    },
    meta: { failure: texts.openFailed },
  })
}
