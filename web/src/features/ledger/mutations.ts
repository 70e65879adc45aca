// Payment mutations: undo within the minute, refund, receipt.
import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { customersKey, inboxKey, invoicesKey, jobsKey, leadsKey } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { formatHeldChannels } from '@/features/documents/channel-text'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { ledgerMessages as texts } from './messages'

/** All queries with amounts: a payment changes its lead, invoices, jobs and the conversation. */
export const moneyRelatedKeys = (orgId: string) =>
  [leadsKey(orgId), invoicesKey(orgId), jobsKey(orgId), inboxKey(orgId), customersKey(orgId)] as const

/** Takes a payment back while its minute lasts. */
export function useUndoPayment() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/payments/{id}/undo', { params: { path: { id } } })),
    meta: { success: texts.undone, failure: texts.undoFailed, invalidates: moneyRelatedKeys(orgId) },
  })
}

/** Gives a payment back, or a part of it; the toast offers the way back. */
export function useRefundPayment(paymentId: string) {
  const { orgId } = useCurrentUser()
  const undo = useUndoPayment()
  const draft = `refund:${paymentId}`
  return useMutation({
    mutationFn: async (body: Schema['RefundRequest']) => {
      const params = { path: { id: paymentId }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const data = await unwrap(api.POST('/api/payments/{id}/refund', { params, body }))
      clearSubmissionKey(draft)
      return data.payment
    },
    onSuccess: (refund) => {
      const { title, description } = refund.status === 'pending' ? texts.refundPending : texts.refunded
      const back = { action: { label: t('Undo'), onAction: () => undo.mutate(refund.id) } }
      toast.show(title, { description, ...(refund.undoable ? back : {}) })
    },
    meta: { failure: texts.refundFailed, invalidates: moneyRelatedKeys(orgId) },
  })
}

/** Says how a refund in doubt ended that Stripe cannot be asked about. */
export function useSettleRefund(refundId: string) {
  const { orgId } = useCurrentUser()
  const draft = `settle-refund:${refundId}`
  return useMutation({
    mutationFn: async (body: Schema['SettleRefundRequest']) => {
      const params = { path: { id: refundId }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const data = await unwrap(api.POST('/api/refunds/{id}/settle', { params, body }))
      clearSubmissionKey(draft)
      return data.payment
    },
    onSuccess: (_, { outcome }) => {
      const { title, description } = outcome === 'refunded' ? texts.markedRefunded : texts.markedNotRefunded
      toast.show(title, { description })
    },
    meta: { failure: texts.notMarked, invalidates: moneyRelatedKeys(orgId) },
  })
}

/** Gives a credit back to the card that it came from, with one tap. */
export function useRefundCredit() {
  const { orgId } = useCurrentUser()
  const undo = useUndoPayment()
  return useMutation({
    mutationFn: async ({ paymentId, amount }: Schema['CreditRefund']) => {
      const draft = `give-back:${paymentId}`
      const body = { amount, method: 'card' as const, note: 'Credit given back' }
      const params = { path: { id: paymentId }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const data = await unwrap(api.POST('/api/payments/{id}/refund', { params, body }))
      clearSubmissionKey(draft)
      return data.payment
    },
    onSuccess: (refund) => {
      const { title, description } = texts.givenBack
      toast.show(title, {
        description,
        ...(refund.undoable ? { action: { label: t('Undo'), onAction: () => undo.mutate(refund.id) } } : {}),
      })
    },
    meta: { failure: texts.refundFailed, invalidates: moneyRelatedKeys(orgId) },
  })
}

/** Downloads the receipt of a payment. */
export function useReceiptPdf(paymentId: string, number: string) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/payments/{id}/receipt', { params: { path: { id: paymentId } }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `Receipt ${number}.pdf`))
    },
    meta: { failure: texts.receiptNotOpened },
  })
}

/** Sends the receipt to the customer. */
export function useSendReceipt(paymentId: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/payments/{id}/receipt', { params: { path: { id: paymentId } } })),
    onSuccess: (delivery) => {
      const heldText = formatHeldChannels(delivery.sent)
      if (heldText === '') toast.success(texts.receiptSent.title, texts.receiptSent.description)
      else toast.show(texts.receiptWaits, { description: heldText })
    },
    meta: { failure: texts.receiptFailed, invalidates: moneyRelatedKeys(orgId) },
  })
}
