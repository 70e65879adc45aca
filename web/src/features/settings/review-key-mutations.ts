// Key of the review webhook.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { settingsMessages } from './messages'
import { settingsQueries } from './queries'

const texts = settingsMessages.reviews

/** Creates a key and revokes the previous one. Only the response contains the key. */
export function useCreateReviewKey() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/org/{orgId}/review-webhook', { params: { path: { orgId } } })),
    // Not remembered longer than the screen that shows it.
    gcTime: 0,
    meta: {
      success: texts.keyMade,
      failure: texts.keyMakeFailed,
      invalidates: [settingsQueries.reviewKey(orgId).queryKey],
    },
  })
}

export function useRemoveReviewKey() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/org/{orgId}/review-webhook', { params: { path: { orgId } } })),
    onSuccess: (left) => client.setQueryData(settingsQueries.reviewKey(orgId).queryKey, left),
    meta: { success: texts.keyRemoved, failure: texts.keyRemoveFailed },
  })
}
