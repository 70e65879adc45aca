// Messages that the server has not taken: those of this page, kept over reloads, and those that wait for a connection.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { NetworkError } from '@/api/client'
import { describeError } from '@/api/errors'
import { isDemoMode } from '@/lib/demo'
import { outbox } from '@/offline/outbox/outbox'
import { queueCommand } from '@/offline/outbox/queue-command'
import { confirmQueued, retryQueued, undoQueued } from '@/offline/outbox/queued-line'
import { describeRefusal } from '@/offline/outbox/texts'
import { type EntryOfKind, useEntriesOfKind } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { cacheMessage, useSendMessage } from '../mutations'
import { inboxMessages } from '../messages'
import type { Message, NewMessage } from '../types'

export type QueuedMessage = EntryOfKind<'message'>

export type OutgoingMessage = {
  key: string
  request: NewMessage
  at: string
  /** Why it was not taken; null while it is under way or waits. */ fault: string | null
  /** Its entry in the outbox of the device. */ queued?: QueuedMessage
}

type Customer = { id: string; name: string }

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

const toOutgoing = (queued: QueuedMessage): OutgoingMessage => ({
  key: queued.key,
  request: queued.command.message,
  at: queued.happenedAt,
  fault: queued.refusal && describeRefusal(queued.refusal),
  queued,
})

/** A message with a time of its own is not queued: the time may pass. */
const canQueue = ({ sendAt }: NewMessage) => !sendAt && !isDemoMode()

/** Shows what the outbox sent before the conversation is fetched again. */
function useShowSentMessages(customerId: string): void {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  useEffect(
    () =>
      outbox.onSent(({ command, jobId }, answer) => {
        if (command.kind === 'message' && jobId === customerId)
          cacheMessage(client, orgId, customerId, answer as Message)
      }),
    [client, orgId, customerId],
  )
}

/** The messages to this customer that have not been taken over by the server, and what can be done with them. */
export function useMessageOutbox({ id: customerId, name }: Customer) {
  const client = useQueryClient()
  const { orgId } = useCurrentUser()
  const send = useSendMessage(customerId)
  const waiting = useEntriesOfKind('message', customerId)
  useShowSentMessages(customerId)
  const cached = useQuery({
    queryKey: outboxKey(orgId, customerId),
    queryFn: () => [] as OutgoingMessage[],
    enabled: false,
    meta: { offline: true, isTyped: true },
  })
  const change = (edit: (entries: readonly OutgoingMessage[]) => OutgoingMessage[]) =>
    updateOutbox(client, orgId, customerId, edit)
  const drop = (key: string) => change((entries) => entries.filter((entry) => entry.key !== key))

  /** Into the outbox of the device, which sends it with the next connection. */
  async function queue({ key, request }: OutgoingMessage): Promise<boolean> {
    if (!canQueue(request)) return false
    return queueCommand({ jobId: customerId, jobName: name, command: { kind: 'message', message: request }, key })
  }

  async function handOver(entry: OutgoingMessage): Promise<void> {
    inFlightKeys.add(entry.key)
    change((entries) => [...entries.filter(({ key }) => key !== entry.key), { ...entry, fault: null }])
    try {
      if (!navigator.onLine && (await queue(entry))) return drop(entry.key)
      await send.mutateAsync({ key: entry.key, request: entry.request })
      drop(entry.key)
    } catch (error) {
      // The same key: it may have arrived although the answer did not.
      if (error instanceof NetworkError && (await queue(entry))) return drop(entry.key)
      const fault = describeError(error, inboxMessages.sendFailed).description
      change((entries) => entries.map((each) => (each.key === entry.key ? { ...each, fault } : each)))
    } finally {
      inFlightKeys.delete(entry.key)
    }
  }

  const queuedKeys = new Set(waiting.map(({ key }) => key))
  const ownEntries = (cached.data ?? []).filter(({ key }) => !queuedKeys.has(key))
  return {
    entries: [...ownEntries.map(withCurrentState), ...waiting.map(toOutgoing)],
    send: (request: NewMessage) =>
      handOver({ key: createMessageKey(), request, at: new Date().toISOString(), fault: null }),
    again: (entry: OutgoingMessage) => (entry.queued ? retryQueued(entry.queued) : handOver(entry)),
    /** Sends what waited too long. */
    confirm: async ({ queued }: OutgoingMessage) => queued && confirmQueued(queued),
    /** Removes it; false if it was sent before. */
    undo: async (entry: OutgoingMessage): Promise<boolean> => {
      if (entry.queued) return undoQueued(entry.queued)
      drop(entry.key)
      return true
    },
  }
}

export type MessageOutbox = ReturnType<typeof useMessageOutbox>
