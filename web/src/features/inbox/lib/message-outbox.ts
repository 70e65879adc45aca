// Unsent messages with their idempotency keys, kept over reloads.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { describeError } from '@/api/errors'
import { useCurrentUser } from '@/features/session/use-session'
import { useSendMessage } from '../mutations'
import { inboxMessages } from '../messages'
import type { NewMessage } from '../types'

export type OutgoingMessage = {
  key: string
  request: NewMessage
  at: string
  /** Why it could not be handed over; null while it is under way. */ fault: string | null
}

const outboxKey = (orgId: string, customerId: string) => ['org', orgId, 'inbox-outbox', customerId] as const
/** What this page has under way: anything else in the outbox was left behind by an earlier one. */
const inFlightKeys = new Set<string>()

/** 128 random bits; `crypto.randomUUID` is hidden where the page is served without TLS. */
function createMessageKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function updateOutbox(
  client: QueryClient,
  orgId: string,
  customerId: string,
  change: (entries: readonly OutgoingMessage[]) => OutgoingMessage[],
): void {
  const key = outboxKey(orgId, customerId)
  client.setQueryDefaults(key, { meta: { offline: true, isTyped: true } })
  client.setQueryData<OutgoingMessage[]>(key, (entries = []) => change(entries))
}

/** One that no page has under way was left behind, whatever was noted of it. */
function withCurrentState(entry: OutgoingMessage): OutgoingMessage {
  return entry.fault === null && !inFlightKeys.has(entry.key) ? { ...entry, fault: inboxMessages.sendBroken } : entry
}

/** The messages to this customer that have not been taken over by the server, and what can be done with them. */
export function useMessageOutbox(customerId: string) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const send = useSendMessage(customerId)
  const cached = useQuery({
    queryKey: outboxKey(orgId, customerId),
    queryFn: () => [] as OutgoingMessage[],
    enabled: false,
    meta: { offline: true, isTyped: true },
  })
  const change = (edit: (entries: readonly OutgoingMessage[]) => OutgoingMessage[]) =>
    updateOutbox(client, orgId, customerId, edit)
  const drop = (key: string) => change((entries) => entries.filter((entry) => entry.key !== key))

  async function handOver(entry: OutgoingMessage): Promise<void> {
    inFlightKeys.add(entry.key)
    change((entries) => [...entries.filter(({ key }) => key !== entry.key), { ...entry, fault: null }])
    try {
      await send.mutateAsync({ key: entry.key, request: entry.request })
      drop(entry.key)
    } catch (error) {
      const fault = describeError(error, inboxMessages.sendFailed).description
      change((entries) => entries.map((each) => (each.key === entry.key ? { ...each, fault } : each)))
    } finally {
      inFlightKeys.delete(entry.key)
    }
  }

  return {
    entries: (cached.data ?? []).map(withCurrentState),
    send: (request: NewMessage) =>
      handOver({ key: createMessageKey(), request, at: new Date().toISOString(), fault: null }),
    again: handOver,
    drop,
  }
}

export type MessageOutbox = ReturnType<typeof useMessageOutbox>
