// What was typed to a customer and not sent yet. It lies in the query cache, which is kept on the device per user and wiped with it.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { MessageChannel } from '@/domain/message'
import { useCurrentUser } from '@/session/use-session'

export type Draft = { channel: MessageChannel; body: string; subject: string }

const draftKey = (orgId: string, customerId: string) => ['org', orgId, 'inbox-draft', customerId] as const

/** The draft for this customer and the way to change it; `usual` where nothing was typed yet. */
export function useDraft(customerId: string, usual: Draft) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const key = draftKey(orgId, customerId)
  const [draft, setDraft] = useState<Draft>(() => client.getQueryData<Draft>(key) ?? usual)
  const change = (parts: Partial<Draft>) => {
    const next = { ...draft, ...parts }
    setDraft(next)
    client.setQueryDefaults(key, { meta: { offline: true, isTyped: true } })
    client.setQueryData<Draft>(key, next)
  }
  return [draft, change] as const
}
