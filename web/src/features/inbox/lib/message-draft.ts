// Message draft in the persisted query cache.
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { MessageChannel } from '@/domain/message'
import { useCurrentUser } from '@/features/session/use-session'

export type MessageDraft = { channel: MessageChannel; body: string; subject: string }
/** What changes, or how it follows from the newest draft. */
type MessageDraftChange = Partial<MessageDraft> | ((newest: MessageDraft) => Partial<MessageDraft>)

const META = { offline: true, isTyped: true } as const

const draftKey = (orgId: string, customerId: string) => ['org', orgId, 'inbox-draft', customerId] as const

/**
 * The draft for this customer and the way to change it; `usual` where nothing was typed yet. A draft that the cache
 * gets later is shown unless something was typed meanwhile.
 */
export function useMessageDraft(customerId: string, usual: MessageDraft) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const key = draftKey(orgId, customerId)
  const { data: stored } = useQuery<MessageDraft>({ queryKey: key, queryFn: skipToken, meta: META })
  // Not from the cache, which notifies later: the cursor would jump.
  const [typed, setTyped] = useState<MessageDraft>()
  const [initial] = useState(usual)
  const change = (parts: MessageDraftChange) => {
    const newest = client.getQueryData<MessageDraft>(key) ?? typed ?? initial
    const next = { ...newest, ...(typeof parts === 'function' ? parts(newest) : parts) }
    setTyped(next)
    client.setQueryDefaults(key, { meta: META })
    client.setQueryData<MessageDraft>(key, next)
  }
  return [typed ?? stored ?? initial, change] as const
}
