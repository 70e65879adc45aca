import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { customersKey, inboxKey, leadKey, leadListsKey } from '@/domain/query-keys'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { quickAddMessages as texts } from './messages'
import type { AddCallValues } from './schema'

const ADD_CALL_FORM = 'add-call'

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
    onSuccess: (lead) => {
      clearSubmissionKey(ADD_CALL_FORM)
      client.setQueryData(leadKey(orgId, lead.id), lead)
      toast.success(texts.success, lead.name)
    },
    meta: {
      failure: texts.failure,
      invalidates: [leadListsKey(orgId), customersKey(orgId), inboxKey(orgId)],
    },
  })
}
