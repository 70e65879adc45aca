import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { isSendingNow, describeHeldDelivery } from '@/domain/delivery-outlook'
import { leadRelatedKeys } from '@/domain/query-keys'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { reminderMessages as texts } from './messages'

export function useSendReminder(leadId: string) {
  const { orgId } = useCurrentUser()
  const draft = `reminder:${leadId}`
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id: leadId }, header: { 'Idempotency-Key': getSubmissionKey(draft, leadId) } }
      const sent = await unwrap(api.POST('/api/leads/{id}/reminder', { params }))
      clearSubmissionKey(draft)
      return sent
    },
    onSuccess: ({ what, channel, to, outlook }) => {
      const about = texts.about[what](MESSAGE_CHANNELS[channel].inSentence, to)
      if (isSendingNow(outlook)) toast.success(texts.sent, about)
      else toast.show(texts.waits, { description: `${about} ${describeHeldDelivery(outlook)}` })
    },
    // A refused request may be allowed later: the next press is a new request.
    onError: () => clearSubmissionKey(draft),
    meta: { failure: texts.notSent, invalidates: leadRelatedKeys(orgId, leadId) },
  })
}
