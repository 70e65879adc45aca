import { useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { customersKey, leadRelatedKeys, reviewsKey } from '@/domain/query-keys'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'

const texts = {
  success: { title: t('Noted'), description: t('The text is in the conversation as sent from your own phone.') },
  failure: { title: t('Not noted'), description: t('It could not be noted. Please try again.') },
} as const

/** Records a text that somebody sent from their own phone. */
export function useNoteOwnPhoneText({ customerId, leadId, text }: Schema['OwnPhoneText']) {
  const { orgId } = useCurrentUser()
  const draft = `own-phone:${leadId}`
  return useMutation({
    mutationFn: async () => {
      const body = { channel: 'sms', body: text, byHand: true, leadId } as const
      const params = { path: { id: customerId }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const noted = await unwrap(api.POST('/api/customers/{id}/messages', { params, body }))
      clearSubmissionKey(draft)
      return noted
    },
    meta: { ...texts, invalidates: [...leadRelatedKeys(orgId, leadId), customersKey(orgId), reviewsKey(orgId)] },
  })
}
