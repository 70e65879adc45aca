import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { moneyRelatedKeys, useUndoPayment } from '@/features/ledger/mutations'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { leadsMessages } from '../messages'

const { money: texts } = leadsMessages

/** Books a payment; the toast offers the way back. */
export function useRecordLeadPayment(leadId: string) {
  const { orgId } = useCurrentUser()
  const undo = useUndoPayment()
  const draft = `payment:${leadId}`
  return useMutation({
    mutationFn: async (body: Schema['PaidRequest']) => {
      const params = { path: { id: leadId }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const booked = await unwrap(api.POST('/api/leads/{id}/paid', { params, body }))
      clearSubmissionKey(draft)
      return booked
    },
    onSuccess: ({ payment, owed }, { amount, partial }) => {
      const part = t('{amount} recorded, {owed} still open.', { amount: formatCents(amount), owed: formatCents(owed) })
      toast.show(texts.recorded.title, {
        description: partial === true && owed > 0 ? part : texts.recorded.description,
        action: { label: t('Undo'), onAction: () => undo.mutate(payment.id) },
      })
    },
    meta: { failure: texts.recordFailed, invalidates: moneyRelatedKeys(orgId) },
  })
}
