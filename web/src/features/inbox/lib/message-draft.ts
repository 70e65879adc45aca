// Message draft in the persisted query cache.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { MessageChannel } from '@/domain/message'
import { useCurrentUser } from '@/features/session/use-session'

export type MessageDraft = { channel: MessageChannel; body: string; subject: string }

const draftKey = (orgId: string, customerId: string) => ['org', orgId, 'inbox-draft', customerId] as const

/** The draft for this customer and the way to change it; `usual` where nothing was typed yet. */
export function useMessageDraft(customerId: string, usual: MessageDraft) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const key = draftKey(orgId, customerId)
  const [draft, setDraft] = useState<MessageDraft>(() => client.getQueryData<MessageDraft>(key) ?? usual)
  const change = (parts: Partial<MessageDraft>) => {
    const next = { ...draft, ...parts }
    setDraft(next)
    client.setQueryDefaults(key, { meta: { offline: true, isTyped: true } })
    client.setQueryData<MessageDraft>(key, next)
  }
  return [draft, change] as const
}
