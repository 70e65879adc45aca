// Empties the outbox, oldest first; one at a time over all tabs and the service worker, so that nothing is sent twice.
import { StoreLocked } from '../store-keys'
import { type Entry, nextToSend, pauseAfter } from './entry'
import { outboxStore } from './outbox-store'
import { askWho, fileIdOf, sendEntry } from './send'

/** `waiting`: something is left for a later try. `other`: somebody else is signed in here. */
export type FlushEnd = 'done' | 'waiting' | 'offline' | 'signed-out' | 'other'

export type FlushHooks = {
  /** The server has it; the entry is removed right after. */
  onSent: (entry: Entry, answer: unknown) => void
  /** The outbox is not what it was. */
  onChange: () => Promise<void>
}

const LOCK = 'toolbox-outbox'
let queue: Promise<unknown> = Promise.resolve()

/** Without a secure address browsers have no locks: then this page at least does not meet itself. */
function alone<T>(action: () => Promise<T>): Promise<T> {
  if ('locks' in navigator && navigator.locks) return navigator.locks.request(LOCK, action)
  const turn = queue.then(action, action)
  queue = turn.catch(() => undefined)
  return turn
}

/** Sends one. Gives how it ends for all where it does. */
async function sendOne(
  owner: string,
  entry: Entry,
  passed: Set<string>,
  hooks: FlushHooks,
): Promise<FlushEnd | undefined> {
  const photo = entry.command.kind === 'photo' ? await outboxStore.photo(owner, entry.id) : undefined
  const outcome = await sendEntry(entry, photo)
  switch (outcome.kind) {
    case 'offline':
    case 'signed-out':
      return outcome.kind
    case 'sent': {
      hooks.onSent(entry, outcome.answer)
      const fileId = fileIdOf(entry, outcome.answer)
      if (fileId !== undefined) await outboxStore.nameOriginal(owner, entry.id, fileId)
      await outboxStore.remove(owner, entry.id)
      return undefined
    }
    case 'refused':
      await outboxStore.change(owner, { ...entry, refusal: outcome.why })
      return undefined
    case 'later': {
      const tries = entry.tries + 1
      passed.add(entry.jobId)
      await outboxStore.change(owner, {
        ...entry,
        tries,
        notBefore: Date.now() + Math.max(pauseAfter(tries), outcome.afterMs),
      })
      return undefined
    }
  }
}

async function sendAll(owner: string, hooks: FlushHooks): Promise<FlushEnd> {
  const passed = new Set<string>()
  let isChecked = false
  for (;;) {
    /* oxlint-disable no-await-in-loop -- in their order, one after the other */
    const entries = await outboxStore.all(owner)
    const next = nextToSend(entries, Date.now(), passed)
    if (!next) return entries.some(({ refusal }) => refusal === null) ? 'waiting' : 'done'
    if (!isChecked) {
      // What one person did is never sent in another's name.
      const who = await askWho()
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

/** Sends what can be sent now. */
export function flush(owner: string, hooks: FlushHooks): Promise<FlushEnd> {
  return alone(async () => {
    try {
      return await sendAll(owner, hooks)
    } catch (error) {
      // What cannot be read cannot be sent: it stays, for whoever may.
      if (error instanceof StoreLocked) return error.why
      throw error
    }
  })
}
