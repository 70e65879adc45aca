// Sends the reminder of what comes next, once however often it is pressed.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { leaves, waitingSentence } from '@/domain/outlook'
import { aroundLead } from '@/domain/query-keys'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { reminderMessages as texts } from './messages'

export function useSendReminder(leadId: string) {
  const { orgId } = useCurrentUser()
  const draft = `reminder:${leadId}`
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id: leadId }, header: { 'Idempotency-Key': submissionKey(draft, leadId) } }
      const sent = await unwrap(api.POST('/api/leads/{id}/reminder', { params }))
      clearSubmissionKey(draft)
      return sent
    },
    onSuccess: ({ what, channel, to, outlook }) => {
      const about = `${texts.of[what]}, by ${MESSAGE_CHANNELS[channel].inSentence} to ${to}.`
      if (leaves(outlook)) toast.success(texts.sent, about)
      else toast.show(texts.waits, { description: `${about} ${waitingSentence(outlook)}` })
    },
    // What was refused may have been answered meanwhile: the next press is another one.
    onError: () => clearSubmissionKey(draft),
    meta: { failure: texts.notSent, invalidates: aroundLead(orgId, leadId) },
  })
}
