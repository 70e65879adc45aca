import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { isSendingNow, describeHeldDelivery } from '@/domain/delivery-outlook'
import { inboxKey, jobsKey, leadsKey, reviewsKey } from '@/domain/query-keys'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { reviewRequestMessages as texts } from './messages'
import type { ReviewRequestTarget, SentReviewRequest } from './types'
import { formatSendTime } from './send-time-text'

/** `By SMS to Ann Lee, (512) 555-0100, now.` */
function describeRequest({ channel, to, at, customerName }: SentReviewRequest, timeZone: string): string {
  return t('By {channel} to {name}, {to}, {time}.', {
    channel: MESSAGE_CHANNELS[channel].inSentence,
    name: customerName,
    to,
    time: formatSendTime(at, timeZone, Date.now()),
  })
}

export function useRequestReview({ kind, id }: ReviewRequestTarget) {
  const { orgId, orgTimezone } = useCurrentUser()
  const draft = `review-request:${id}`
  return useMutation({
    mutationFn: async (override: boolean) => {
      const body = { override }
      const params = { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const requested = await unwrap(
        api.POST(kind === 'lead' ? '/api/leads/{id}/review' : '/api/jobs/{id}/review', { params, body }),
      )
      clearSubmissionKey(draft)
      return requested
    },
    onSuccess: (requested) => {
      const { outlook } = requested
      const waits = describeHeldDelivery(outlook)
      if (isSendingNow(outlook)) toast.success(texts.requested, describeRequest(requested, orgTimezone))
      // What is held says its hour already.
      else
        toast.show(texts.waits, {
          description: outlook?.state === 'held' ? describeRequest(requested, orgTimezone) : waits,
        })
    },
    // A refused request may be allowed later: the next press is a new request.
    onError: () => clearSubmissionKey(draft),
    meta: {
      failure: texts.notRequested,
      invalidates: [reviewsKey(orgId), leadsKey(orgId), jobsKey(orgId), inboxKey(orgId)],
    },
  })
}
