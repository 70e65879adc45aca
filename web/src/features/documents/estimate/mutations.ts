// EstimateView mutations: resend, renew link, withdraw, PDF.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { leadRelatedKeys } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { describeVersionDelivery } from '../delivery-text'
import { describeSending } from '../channel-text'
import { estimateMessages as texts } from './messages'
import { getEstimateKind, type EstimateView, type EstimateKind } from './types'

/** Gives it another address; the one it had opens nothing any more. */
export function useRenewEstimateLink({ id, leadId }: EstimateView) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST('/api/estimates/{id}/link', { params: { path: { id } }, body: { revoke: true } })),
    meta: { success: texts.linkRenewed, failure: texts.linkFailed, invalidates: leadRelatedKeys(orgId, leadId) },
  })
}

/** What went out and what did not, as the toast says it. */
function showDeliveryToast(kind: EstimateKind, delivery: Schema['PaperSending']): void {
  const estimateTexts = texts.of[kind]
  const { sent: channels, unsent: unsentText, isHeld } = describeSending(delivery)
  if (channels === '' && isHeld) toast.success(estimateTexts.waits, unsentText)
  else if (channels === '') toast.error(estimateTexts.notSent.title, unsentText || estimateTexts.notSent.description)
  else toast.success(estimateTexts.sent, [t('By {channels}.', { channels }), unsentText].filter(Boolean).join(' '))
}

/** Makes another version of it, which goes out by the ways asked for. */
export function useReviseEstimate(leadId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async ({ id, body }: { id: string; body: Schema['EstimateRequest'] }) => {
      const draft = `revise:${id}`
      const params = { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const { data, response } = await unwrapWithResponse(api.POST('/api/estimates/{id}/revise', { params, body }))
      clearSubmissionKey(draft)
      return describeVersionDelivery(data.number, response.headers)
    },
    onSuccess: (estimateTexts) => {
      toast.success(texts.revised, estimateTexts)
    },
    meta: { failure: texts.reviseFailed, invalidates: leadRelatedKeys(orgId, leadId) },
  })
}

/** Resends it by a person's decision; its reminders start again. No toast where its text is then sent by hand. */
export function useSendEstimate(estimate: EstimateView, isByOwnPhone = false) {
  const { orgId } = useCurrentUser()
  const { id, leadId } = estimate
  const kind = getEstimateKind(estimate)
  const draft = `send:${id}`
  return useMutation({
    mutationFn: async (body: { email: boolean; text: boolean }) => {
      const params = { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const delivery = await unwrap(api.POST('/api/estimates/{id}/send', { params, body }))
      clearSubmissionKey(draft)
      return delivery
    },
    onSuccess: (delivery) => {
      if (!isByOwnPhone) showDeliveryToast(kind, delivery)
    },
    meta: { failure: texts.of[kind].notSent, invalidates: leadRelatedKeys(orgId, leadId) },
  })
}

/** Takes it back: its link says that it was withdrawn. */
export function useWithdrawEstimate(estimate: EstimateView) {
  const { orgId } = useCurrentUser()
  const { id, leadId } = estimate
  const { withdrawn, withdrawFailed } = texts.of[getEstimateKind(estimate)]
  return useMutation({
    mutationFn: (reason: string) =>
      unwrap(api.POST('/api/estimates/{id}/withdraw', { params: { path: { id } }, body: { reason } })),
    meta: { success: withdrawn, failure: withdrawFailed, invalidates: leadRelatedKeys(orgId, leadId) },
  })
}

/** Downloads the paper as it was stored, or the copy that the customer signed. */
export function useEstimatePdf({ id, number }: Pick<EstimateView, 'id' | 'number'>, copy?: 'signed') {
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id }, query: copy ? { copy } : {} }
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/estimates/{id}/pdf', { params, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `${number}.pdf`))
    },
    meta: { failure: texts.openFailed },
  })
}
