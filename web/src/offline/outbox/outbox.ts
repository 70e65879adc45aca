// Outbox of this page: entries, refusals, add, retry, discard.
import { createKey } from '@/lib/submission-key'
import { type OutboxCommand, type OutboxEntry, getNextEntry, getRetryDelay } from './entry'
import { flushOutbox, type FlushResult, type FlushHooks, removeUnsent } from './flush'
import { getSentFileId } from './send'
import { SYNC_TAG, announceOutboxChange } from './names'
import { outboxStore } from './outbox-store'
import { storeKeys, StoreLockedError } from '../store-keys'

type SentListener = FlushHooks['onSent']

type WithSync = ServiceWorkerRegistration & { sync?: { register: (tag: string) => Promise<void> } }

let owner: string | undefined
/** Commands before the owner is known, right after a start. */
let ownerWaiters: ((owner: string) => void)[] = []
let entries: readonly OutboxEntry[] = []
let isSending = false
/** Failed attempts in a row, and the next due time. */
let failedAttempts = 0
let nextTryAt = 0
let hasUnannouncedChange = false
/** Server ids of sent photos, for copies started before. */
const sentPhotoIds = new Map<number, string>()
const listeners = new Set<() => void>()
const sentListeners = new Set<SentListener>()

function waitForOwner(): Promise<string> {
  return owner === undefined ? new Promise((resolve) => ownerWaiters.push(resolve)) : Promise.resolve(owner)
}

function publish(next: readonly OutboxEntry[]): void {
  entries = next
  for (const listener of listeners) listener()
}

async function reload(): Promise<void> {
  // Some private windows have no IndexedDB.
  if (owner === undefined || !('indexedDB' in globalThis)) return
  try {
    publish(await outboxStore.all(owner))
  } catch (error) {
    // Locked: known entries stay counted.
    if (!(error instanceof StoreLockedError)) throw error
  }
}

/** Fetches keys while online, for offline use later. */
async function prefetchKeys(next: string): Promise<void> {
  try {
    await storeKeys.need(next)
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error
  }
}

function announceChange(): void {
  hasUnannouncedChange = false
  announceOutboxChange()
}

/** Background Sync, where supported. */
async function requestBackgroundSync(): Promise<void> {
  const registration: WithSync | undefined = await navigator.serviceWorker?.getRegistration()
  // Refused in private windows and battery savers; the page retries by itself.
  await registration?.sync?.register(SYNC_TAG).catch(() => undefined)
}

const hooks: FlushHooks = {
  onSent: (entry, answer) => {
    const fileId = getSentFileId(entry, answer)
    if (fileId !== undefined) sentPhotoIds.set(entry.id, fileId)
    for (const listener of sentListeners) listener(entry, answer)
    // Removed after the cache shows the result, without a gap or a duplicate.
    setTimeout(() => publish(entries.filter(({ id }) => id !== entry.id)))
  },
  onChange: () => {
    hasUnannouncedChange = true
    return reload()
  },
}

async function send(): Promise<FlushResult> {
  if (owner === undefined) return 'done'
  isSending = true
  publish(entries)
  try {
    const end = await flushOutbox(owner, hooks)
    failedAttempts = end === 'offline' ? failedAttempts + 1 : 0
    nextTryAt = end === 'offline' ? Date.now() + getRetryDelay(failedAttempts) : 0
    if (end === 'offline' || end === 'waiting') await requestBackgroundSync()
    return end
  } finally {
    isSending = false
    await reload()
    if (hasUnannouncedChange) announceChange()
  }
}

/** Protects the data of an installed app from eviction. */
function requestPersistentStorage(): void {
  if (globalThis.matchMedia?.('(display-mode: standalone)').matches) void navigator.storage?.persist?.()
}

export type EnqueuedCommand = {
  jobId: string
  jobName: string
  command: OutboxCommand
  photo?: ArrayBuffer
  /** Idempotency key of an attempt before this one. */
  key?: string
}

function resolveOriginal(command: OutboxCommand): OutboxCommand {
  if (command.kind !== 'photo' || !command.copyOf || !('entryId' in command.copyOf)) return command
  const fileId = sentPhotoIds.get(command.copyOf.entryId)
  return fileId === undefined ? command : { ...command, copyOf: { fileId } }
}

export const outbox = {
  /** Oldest first; same array until a change. */
  current: () => entries,
  isSending: () => isSending,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  onSent: (listener: SentListener) => {
    sentListeners.add(listener)
    return () => {
      sentListeners.delete(listener)
    }
  },
  /** Owner: `<org>:<account>`. */
  open: async (next: string): Promise<void> => {
    if (next !== owner) {
      sentPhotoIds.clear()
      publish([])
    }
    owner = next
    for (const hear of ownerWaiters.splice(0)) hear(next)
    await prefetchKeys(next)
    await reload()
  },
  reload,
  /** Stores first; sending is the caller's next step. Waits for the owner after a start. */
  add: async ({ photo, command, key = createKey(), ...done }: EnqueuedCommand): Promise<OutboxEntry> => {
    const happenedAt = new Date().toISOString()
    const mine = await waitForOwner()
    const entry = await outboxStore.add(mine, { ...done, command: resolveOriginal(command), key, happenedAt }, photo)
    // A reload may have added it already.
    publish([...entries.filter(({ id }) => id !== entry.id), entry])
    requestPersistentStorage()
    return entry
  },
  send,
  sendIfDue: async (): Promise<void> => {
    const now = Date.now()
    if (!isSending && now >= nextTryAt && getNextEntry(entries, now, new Set())) await send()
  },
  /** Sends a message although it waited too long. */
  confirm: async (entry: OutboxEntry): Promise<void> => {
    if (owner === undefined) return
    await outboxStore.change(owner, { ...entry, confirmedAt: new Date().toISOString() })
    await reload()
  },
  /** Removes an entry that was not sent. False if it was sent before. */
  undo: async ({ id }: OutboxEntry): Promise<boolean> => {
    if (owner === undefined) return false
    const isRemoved = await removeUnsent(owner, id)
    await reload()
    announceChange()
    return isRemoved
  },
  /** Reuses the idempotency key. */
  again: async (entry: OutboxEntry): Promise<void> => {
    if (owner === undefined) return
    const confirmedAt = new Date().toISOString()
    await outboxStore.change(owner, { ...entry, refusal: null, tries: 0, notBefore: 0, confirmedAt })
    await reload()
  },
  discard: async ({ id }: OutboxEntry): Promise<void> => {
    if (owner === undefined) return
    await outboxStore.remove(owner, id)
    await reload()
    announceChange()
  },
  photo: (id: number): Promise<ArrayBuffer | undefined> =>
    owner === undefined ? Promise.resolve(undefined) : outboxStore.photo(owner, id),
  /** For tests. */
  reset: (): void => {
    owner = undefined
    ownerWaiters = []
    failedAttempts = 0
    nextTryAt = 0
    sentListeners.clear()
    sentPhotoIds.clear()
    publish([])
  },
}
