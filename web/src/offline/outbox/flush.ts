// Outbox flush, oldest first, exclusive over all tabs and the service worker.
import { StoreLockedError } from '../store-keys'
import { type OutboxEntry, getNextEntry, getQueueKey, getRetryDelay, needsConfirmation } from './entry'
import { outboxStore } from './outbox-store'
import { fetchSessionOwner, getSentFileId, sendEntry } from './send'

/** `waiting`: entries left for a retry. `other`: another user is signed in. */
export type FlushResult = 'done' | 'waiting' | 'offline' | 'signed-out' | 'other'

export type FlushHooks = {
  /** Called before the entry is removed. */
  onSent: (entry: OutboxEntry, answer: unknown) => void
  onChange: () => Promise<void>
}

const LOCK = 'toolbox-outbox'
let queue: Promise<unknown> = Promise.resolve()

/** Web Locks require TLS; without them exclusive within this page. */
function runExclusive<T>(action: () => Promise<T>): Promise<T> {
  if ('locks' in navigator && navigator.locks) return navigator.locks.request(LOCK, action)
  const turn = queue.then(action, action)
  queue = turn.catch(() => undefined)
  return turn
}

/** Result for the whole flush, if final. */
async function sendOne(
  owner: string,
  entry: OutboxEntry,
  passed: Set<string>,
  hooks: FlushHooks,
): Promise<FlushResult | undefined> {
  const photo = entry.command.kind === 'photo' ? await outboxStore.photo(owner, entry.id) : undefined
  const outcome = await sendEntry(entry, photo)
  switch (outcome.kind) {
    case 'offline':
    case 'signed-out':
      return outcome.kind
    case 'sent': {
      hooks.onSent(entry, outcome.answer)
      const fileId = getSentFileId(entry, outcome.answer)
      if (fileId !== undefined) await outboxStore.nameOriginal(owner, entry.id, fileId)
      await outboxStore.remove(owner, entry.id)
      return undefined
    }
    case 'refused':
      await outboxStore.change(owner, { ...entry, refusal: outcome.why })
      return undefined
    case 'later': {
      const tries = entry.tries + 1
      passed.add(getQueueKey(entry))
      await outboxStore.change(owner, {
        ...entry,
        tries,
        notBefore: Date.now() + Math.max(getRetryDelay(tries), outcome.afterMs),
      })
      return undefined
    }
  }
}

/** Leaves without a person. */
const isRetried = (entry: OutboxEntry, now: number) => entry.refusal === null && !needsConfirmation(entry, now)

async function sendAll(owner: string, hooks: FlushHooks): Promise<FlushResult> {
  const passed = new Set<string>()
  let isChecked = false
  for (;;) {
    /* oxlint-disable no-await-in-loop -- in their order, one after the other */
    const entries = await outboxStore.all(owner)
    const next = getNextEntry(entries, Date.now(), passed)
    if (!next) return entries.some((entry) => isRetried(entry, Date.now())) ? 'waiting' : 'done'
    if (!isChecked) {
      // Entries are never sent as another user.
      const who = await fetchSessionOwner()
      if (who.kind !== 'known') return who.kind === 'offline' || who.kind === 'signed-out' ? who.kind : 'waiting'
      if (who.owner !== owner) return 'other'
      isChecked = true
    }
    const end = await sendOne(owner, next, passed, hooks)
    if (end) return end
    await hooks.onChange()
    /* oxlint-enable no-await-in-loop */
  }
}

/** Not while it is being sent. False if it was sent before. */
export function removeUnsent(owner: string, id: number): Promise<boolean> {
  return runExclusive(async () => {
    const isUnsent = (await outboxStore.all(owner)).some((entry) => entry.id === id)
    if (isUnsent) await outboxStore.remove(owner, id)
    return isUnsent
  })
}

export function flushOutbox(owner: string, hooks: FlushHooks): Promise<FlushResult> {
  return runExclusive(async () => {
    try {
      return await sendAll(owner, hooks)
    } catch (error) {
      // Unreadable entries stay for their owner.
      if (error instanceof StoreLockedError) return error.why
      throw error
    }
  })
}
