// The outbox as this page sees it: what waits, what was refused, and the ways to add, try again and discard.
import { newKey } from '@/lib/submission-key'
import { type Command, type Entry, pauseAfter } from './entry'
import { flush, type FlushEnd, type FlushHooks } from './flush'
import { fileIdOf } from './send'
import { SYNC_TAG, tellNews } from './names'
import { outboxStore } from './outbox-store'
import { storeKeys, StoreLocked } from '../store-keys'

/** Who or what hears that the server has something: the cache of what is shown. */
type SentListener = FlushHooks['onSent']

type WithSync = ServiceWorkerRegistration & { sync?: { register: (tag: string) => Promise<void> } }

let owner: string | undefined
/** What was tapped before it was known whose outbox it is: the first moments after a start. */
let ownerAwaited: ((owner: string) => void)[] = []
let entries: readonly Entry[] = []
let isSending = false
/** Tries in a row that found no server, and when the next one is due. */
let misses = 0
let nextTryAt = 0
/** Whether other tabs have something to hear of. */
let hasNews = false
/** What the server calls the photos that left this page: who draws on one may have begun before it left. */
const arrived = new Map<number, string>()
const listeners = new Set<() => void>()
const sentListeners = new Set<SentListener>()

function whose(): Promise<string> {
  return owner === undefined ? new Promise((resolve) => ownerAwaited.push(resolve)) : Promise.resolve(owner)
}

function publish(next: readonly Entry[]): void {
  entries = next
  for (const listener of listeners) listener()
}

async function reload(): Promise<void> {
  // Some private windows have no databases: nothing can be kept there, so nothing waits.
  if (owner === undefined || !('indexedDB' in globalThis)) return
  try {
    publish(await outboxStore.all(owner))
  } catch (error) {
    // Locked: what this page knows of stays counted, and nothing new is shown.
    if (!(error instanceof StoreLocked)) throw error
  }
}

/** While there is a server to ask: what is done without a network later is encrypted with them. */
async function takeKeys(next: string): Promise<void> {
  try {
    await storeKeys.need(next)
  } catch (error) {
    if (!(error instanceof StoreLocked)) throw error
  }
}

function tellOthers(): void {
  hasNews = false
  tellNews()
}

/** Where the browser can, it sends by itself once there is a network, the app closed or not. */
async function askForSync(): Promise<void> {
  const registration: WithSync | undefined = await navigator.serviceWorker?.getRegistration()
  // Refused in private windows and on battery savers: the page's own tries go on.
  await registration?.sync?.register(SYNC_TAG).catch(() => undefined)
}

const hooks: FlushHooks = {
  onSent: (entry, answer) => {
    const fileId = fileIdOf(entry, answer)
    if (fileId !== undefined) arrived.set(entry.id, fileId)
    for (const listener of sentListeners) listener(entry, answer)
    // Once what is shown has it, and not before: neither does it stand there twice, nor is it gone for a moment.
    setTimeout(() => publish(entries.filter(({ id }) => id !== entry.id)))
  },
  onChange: () => {
    hasNews = true
    return reload()
  },
}

async function send(): Promise<FlushEnd> {
  if (owner === undefined) return 'done'
  isSending = true
  publish(entries)
  try {
    const end = await flush(owner, hooks)
    misses = end === 'offline' ? misses + 1 : 0
    nextTryAt = end === 'offline' ? Date.now() + pauseAfter(misses) : 0
    if (end === 'offline' || end === 'waiting') await askForSync()
    return end
  } finally {
    isSending = false
    await reload()
    if (hasNews) tellOthers()
  }
}

/** An installed app may ask without bothering anybody: what waits is then not the first to go when the phone runs full. */
function askToStay(): void {
  if (globalThis.matchMedia?.('(display-mode: standalone)').matches) void navigator.storage?.persist?.()
}

type Done = { jobId: string; jobName: string; command: Command; photo?: ArrayBuffer }

/** The original of a copy as far as it is known by now. */
function known(command: Command): Command {
  if (command.kind !== 'photo' || !command.copyOf || !('entryId' in command.copyOf)) return command
  const fileId = arrived.get(command.copyOf.entryId)
  return fileId === undefined ? command : { ...command, copyOf: { fileId } }
}

export const outbox = {
  /** Oldest first; the same array until something changes. */
  current: () => entries,
  isSending: () => isSending,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  /** Calls back for each that the server has taken. */
  onSent: (listener: SentListener) => {
    sentListeners.add(listener)
    return () => {
      sentListeners.delete(listener)
    }
  },
  /** From now on it is this person's: `<org>:<account>`. */
  open: async (next: string): Promise<void> => {
    if (next !== owner) {
      arrived.clear()
      publish([])
    }
    owner = next
    for (const hear of ownerAwaited.splice(0)) hear(next)
    await takeKeys(next)
    await reload()
  },
  reload,
  /**
   * Keeps it on the device before anything else happens; sending is the caller's next step. Right after a start it waits
   * until the outbox is opened: nobody taps twice because the app was not ready.
   */
  add: async ({ photo, command, ...done }: Done): Promise<Entry> => {
    const happenedAt = new Date().toISOString()
    const mine = await whose()
    const entry = await outboxStore.add(mine, { ...done, command: known(command), key: newKey(), happenedAt }, photo)
    // Whoever looked meanwhile may have found it already.
    publish([...entries.filter(({ id }) => id !== entry.id), entry])
    askToStay()
    return entry
  },
  send,
  /** For a clock: sends only when a try is due. */
  sendIfDue: async (): Promise<void> => {
    if (
      !isSending &&
      Date.now() >= nextTryAt &&
      entries.some(({ refusal, notBefore }) => refusal === null && notBefore <= Date.now())
    )
      await send()
  },
  /** What was refused is tried as it is; with its old key it is still done once. */
  again: async (entry: Entry): Promise<void> => {
    if (owner === undefined) return
    await outboxStore.change(owner, { ...entry, refusal: null, tries: 0, notBefore: 0 })
    await reload()
  },
  discard: async ({ id }: Entry): Promise<void> => {
    if (owner === undefined) return
    await outboxStore.remove(owner, id)
    await reload()
    tellOthers()
  },
  photo: (id: number): Promise<ArrayBuffer | undefined> =>
    owner === undefined ? Promise.resolve(undefined) : outboxStore.photo(owner, id),
  /** As a new page finds it, for the next test. */
  reset: (): void => {
    owner = undefined
    ownerAwaited = []
    misses = 0
    nextTryAt = 0
    sentListeners.clear()
    arrived.clear()
    publish([])
  },
}
