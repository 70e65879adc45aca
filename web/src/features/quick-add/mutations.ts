import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { describeTextDelivery, isSendingNow } from '@/domain/delivery-outlook'
import { customersKey, inboxKey, leadKey, leadListsKey } from '@/domain/query-keys'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { quickAddMessages as texts } from './messages'
import type { AddCallValues } from './schema'

const ADD_CALL_FORM = 'add-call'
/** Longer where the text does not leave: the reason has to be read. */
const UNSENT_TOAST_MS = 10_000

export function toTypedLead({ customer, notes, textBookingLink }: AddCallValues): Schema['TypedLeadRequest'] {
  return {
    customer: {
      ...(customer.name === '' ? {} : { name: customer.name }),
      ...(customer.phone === '' ? {} : { phone: customer.phone }),
      source: texts.source,
    },
    ...(notes === '' ? {} : { notes }),
    textBookingLink,
  }
}

/** Says that the lead is added, and what becomes of the text with the booking link. */
function showAdded({ name, outlook }: Schema['LeadAdded']) {
  const description = outlook ? `${name}. ${describeTextDelivery(outlook)}` : name
  if (isSendingNow(outlook)) toast.success(texts.success, description)
  else toast.show(texts.success, { description, durationMs: UNSENT_TOAST_MS })
}

/** Adds a lead; pressed twice, it is one. */
export function useAddCall() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (values: AddCallValues) => {
      const body = toTypedLead(values)
      const header = { 'Idempotency-Key': getSubmissionKey(ADD_CALL_FORM, body) }
      return unwrap(api.POST('/api/leads', { params: { header }, body }))
    },
    onSuccess: (added) => {
      clearSubmissionKey(ADD_CALL_FORM)
      client.setQueryData(leadKey(orgId, added.id), added)
      showAdded(added)
    },
    meta: {
      failure: texts.failure,
      invalidates: [leadListsKey(orgId), customersKey(orgId), inboxKey(orgId)],
    },
  })
}
