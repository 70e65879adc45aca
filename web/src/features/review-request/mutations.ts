// Asks one customer for a review, once however often it is pressed.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { leaves, waitingSentence } from '@/domain/outlook'
import { inboxKey, jobsKey, leadsKey, reviewsKey } from '@/domain/query-keys'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { requestMessages as texts } from './messages'
import type { AskedFor, Requested } from './types'
import { whenWords } from './when-words'

/** `By SMS to Ann Lee, (512) 555-0100, now.` */
function sentence({ channel, to, at, customerName }: Requested, timeZone: string): string {
  return `By ${MESSAGE_CHANNELS[channel].inSentence} to ${customerName}, ${to}, ${whenWords(at, timeZone, Date.now())}.`
}

export function useRequestReview({ kind, id }: AskedFor) {
  const { orgId, orgTimezone } = useCurrentUser()
  const draft = `review-request:${id}`
  return useMutation({
    mutationFn: async (override: boolean) => {
      const body = { override }
      const params = { path: { id }, header: { 'Idempotency-Key': submissionKey(draft, body) } }
      const requested = await unwrap(
        api.POST(kind === 'lead' ? '/api/leads/{id}/review' : '/api/jobs/{id}/review', { params, body }),
      )
      clearSubmissionKey(draft)
      return requested
    },
    onSuccess: (requested) => {
      const { outlook } = requested
      const waits = waitingSentence(outlook)
      if (leaves(outlook)) toast.success(texts.requested, sentence(requested, orgTimezone))
      // What is held says its hour already.
      else
        toast.show(texts.waits, { description: outlook?.state === 'held' ? sentence(requested, orgTimezone) : waits })
    },
    // What was refused may be allowed meanwhile: the next press is another one.
    onError: () => clearSubmissionKey(draft),
    meta: {
      failure: texts.notRequested,
      invalidates: [reviewsKey(orgId), leadsKey(orgId), jobsKey(orgId), inboxKey(orgId)],
    },
  })
}
