import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { customersKey, inboxKey, leadsKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { erasureMessages as texts } from './messages'

/** Every screen that shows the customer says whether they will be erased. */
export const erasureKeys = (orgId: string) => [customersKey(orgId), leadsKey(orgId), inboxKey(orgId)] as const

/** Takes an erasure back that was not done. */
export function useCancelErasure(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/customers/{id}/erasure', { params: { path: { id } } })),
    meta: { success: texts.kept, failure: texts.keepFailed, invalidates: erasureKeys(orgId) },
  })
}
