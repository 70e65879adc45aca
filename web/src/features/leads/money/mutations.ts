// What one can do with money: book a payment, take it back within the minute, give it back, hand out its receipt.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { attachmentName, saveFile } from '@/lib/download'
import { formatCents } from '@/lib/format/money'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { aroundLead } from '../lib/invalidated'
import { leadsMessages } from '../messages'

const { money: texts } = leadsMessages

/** Takes a payment back while its minute lasts. */
export function useUndoPayment(leadId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/payments/{id}/undo', { params: { path: { id } } })),
    meta: { success: texts.undone, failure: texts.undoFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Books a payment; the toast offers the way back. */
export function useRecordPayment(leadId: string) {
  const { orgId } = useCurrentUser()
  const undo = useUndoPayment(leadId)
  const draft = `payment:${leadId}`
  return useMutation({
    mutationFn: async (body: Schema['PaidRequest']) => {
      const params = { path: { id: leadId }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const booked = await unwrap(api.POST('/api/leads/{id}/paid', { params, body }))
      clearSubmissionKey(draft)
      return booked
    },
    onSuccess: ({ payment, owed }, { amount, partial }) => {
      const part = `${formatCents(amount)} recorded, ${formatCents(owed)} still open.`
      toast.show(texts.recorded.title, {
        description: partial === true && owed > 0 ? part : texts.recorded.description,
        action: { label: 'Undo', onAction: () => undo.mutate(payment.id) },
      })
    },
    meta: { failure: texts.recordFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Gives a payment back, or a part of it; the toast offers the way back. */
export function useRefund(leadId: string, paymentId: string) {
  const { orgId } = useCurrentUser()
  const undo = useUndoPayment(leadId)
  const draft = `refund:${paymentId}`
  return useMutation({
    mutationFn: async (body: Schema['RefundRequest']) => {
      const params = { path: { id: paymentId }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const { data, response } = await unwrapWithResponse(api.POST('/api/payments/{id}/refund', { params, body }))
      clearSubmissionKey(draft)
      return { refund: data.payment, isPending: response.status === 202 }
    },
    onSuccess: ({ refund, isPending }) => {
      const { title, description } = isPending ? texts.refundPending : texts.refunded
      const back = { action: { label: 'Undo', onAction: () => undo.mutate(refund.id) } }
      toast.show(title, { description, ...(refund.undoable ? back : {}) })
    },
    meta: { failure: texts.refundFailed, invalidates: aroundLead(orgId, leadId) },
  })
}

/** Downloads the receipt of a payment. */
export function useReceiptPdf(paymentId: string, number: string) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(api.GET('/api/payments/{id}/receipt', { params: { path: { id: paymentId } }, parseAs: 'blob' }))
      saveFile(data, attachmentName(response, `Receipt ${number}.pdf`))
    },
    meta: { failure: texts.receiptNotOpened },
  })
}

/** Sends the receipt to the customer. */
export function useSendReceipt(leadId: string, paymentId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/payments/{id}/receipt', { params: { path: { id: paymentId } } })),
    meta: { success: texts.receiptSent, failure: texts.receiptFailed, invalidates: aroundLead(orgId, leadId) },
  })
}
