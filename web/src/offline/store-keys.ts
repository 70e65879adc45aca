// The keys of what stays on this device. The server holds them and gives them to the live session; here they are kept as
// keys that cannot be read out, and only until their lease is over. docs/data-protection.md says why.
//
// Used by the page and by the service worker.
import { promisifyRequest } from 'idb-keyval'
import { OURS } from '@/api/ours'
import { inDemo } from '@/lib/demo'
import { canSeal, toKey } from './seal'

export type StoreKeys = {
  /** `<org>:<account>` */
  owner: string
  /** For copies of what was shown. */
  store: CryptoKey
  /** For what is not sent yet. */
  unsent: CryptoKey
  /** When the lease is over; null: while the page is open and in sight. */
  until: number | null
  /** The latest time that this device's clock has shown. */
  seenAt: number
}

/** Why there are no keys. `waiting`: the server cannot give them now. `other`: somebody else is signed in here. */
export type NoKeys = 'offline' | 'waiting' | 'signed-out' | 'other'

/** What stays on this device cannot be read or written now. */
export class StoreLocked extends Error {
  readonly why: NoKeys

  constructor(why: NoKeys) {
    super(`The offline store is locked: ${why}`)
    this.name = 'StoreLocked'
    this.why = why
  }
}

export const KEYS_DATABASE = 'toolbox-keys'
const STORE = 'keys'
const CURRENT = 'current'
const STORE_ID = 'store-id'
/** A clock may be set right by so much; one that was turned back further ends the lease. */
const CLOCK_STEP_MS = 5 * 60_000
/** How long one answer is good enough for all who ask. */
const FRESH_MS = 60_000

let current: StoreKeys | undefined
let renewedAt = 0
/** Keys were in hand, and their lease is over. */
let isLapsed = false
const underWay = new Map<string, Promise<StoreKeys>>()

/** Some private windows have no databases, or forbid them. */
async function openDatabase(): Promise<IDBDatabase> {
  // Nor does the demonstration find or leave anything here.
  if (inDemo() || !('indexedDB' in globalThis)) throw new StoreLocked('waiting')
  try {
    const request = indexedDB.open(KEYS_DATABASE, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE))
    return await promisifyRequest(request)
  } catch (error) {
    if (error instanceof DOMException) throw new StoreLocked('waiting')
    throw error
  }
}

async function within<T>(mode: IDBTransactionMode, action: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await openDatabase()
  try {
    const transaction = database.transaction(STORE, mode)
    const result = await promisifyRequest(action(transaction.objectStore(STORE)))
    if (mode === 'readwrite') await promisifyRequest(transaction)
    return result
  } finally {
    database.close()
  }
}

const isOver = ({ until, seenAt }: StoreKeys, now: number): boolean =>
  (until !== null && now >= until) || now < seenAt - CLOCK_STEP_MS

async function keep(keys: StoreKeys): Promise<void> {
  if (keys.until === null) await within('readwrite', (store) => store.delete(CURRENT))
  else await within('readwrite', (store) => store.put(keys, CURRENT))
}

/** Names this browser to the server; it opens nothing. */
async function storeId(): Promise<string> {
  const known: unknown = await within<unknown>('readonly', (store) => store.get(STORE_ID))
  if (typeof known === 'string') return known
  // Where there is encryption, there is this too.
  const made = crypto.randomUUID()
  await within('readwrite', (store) => store.put(made, STORE_ID))
  return made
}

async function drop(): Promise<void> {
  current = undefined
  renewedAt = 0
  try {
    await within('readwrite', (store) => store.delete(CURRENT))
  } catch (error) {
    // Where nothing can be kept, nothing is.
    if (!(error instanceof StoreLocked)) throw error
  }
}

/** The keys in hand whose lease is not over. Those whose lease is over are destroyed. */
async function held(owner: string): Promise<StoreKeys | undefined> {
  const now = Date.now()
  const kept = current ?? (await within<StoreKeys | undefined>('readonly', (store) => store.get(CURRENT)))
  if (!kept) return undefined
  if (isOver(kept, now)) {
    await drop()
    isLapsed = true
    return undefined
  }
  current = kept
  if (now > kept.seenAt + FRESH_MS) {
    current = { ...kept, seenAt: now }
    await keep(current)
  }
  return kept.owner === owner ? kept : undefined
}

async function ask(): Promise<Response> {
  const body = JSON.stringify({ storeId: await storeId() })
  const headers = { ...OURS, 'Content-Type': 'application/json', Accept: 'application/json' }
  try {
    return await globalThis.fetch(
      new Request(new URL('/api/account/offline-keys', globalThis.location.origin), {
        method: 'POST',
        headers,
        body,
        credentials: 'same-origin',
      }),
    )
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) throw new StoreLocked('offline')
    throw error
  }
}

type Given = { orgId: string; accountId: string; storeKey: string; unsentKey: string; leaseSeconds: number }

async function fetchKeys(owner: string): Promise<StoreKeys> {
  if (!canSeal()) throw new StoreLocked('waiting')
  const answer = await ask()
  if (answer.status === 401) {
    // The session is over: nothing here is readable from now on.
    await drop()
    throw new StoreLocked('signed-out')
  }
  // A network that wants a sign-in of its own answers with a page.
  if (!answer.ok || !/\bjson\b/.test(answer.headers.get('Content-Type') ?? '')) throw new StoreLocked('waiting')
  const { orgId, accountId, storeKey, unsentKey, leaseSeconds } = (await answer.json()) as Given
  if (`${orgId}:${accountId}` !== owner) throw new StoreLocked('other')
  const now = Date.now()
  const [store, unsent] = await Promise.all([toKey(storeKey), toKey(unsentKey)])
  current = { owner, store, unsent, until: leaseSeconds > 0 ? now + leaseSeconds * 1000 : null, seenAt: now }
  renewedAt = now
  isLapsed = false
  await keep(current)
  return current
}

/** Asks the server; several that ask at once share the answer. */
function renew(owner: string): Promise<StoreKeys> {
  const asked = underWay.get(owner)
  if (asked) return asked
  const asking = fetchKeys(owner).finally(() => underWay.delete(owner))
  underWay.set(owner, asking)
  return asking
}

export const storeKeys = {
  /** Those in hand; the server is not asked. */
  held,
  /**
   * Those in hand, else the server's.
   * @throws StoreLocked where there are none.
   */
  need: async (owner: string): Promise<StoreKeys> => (await held(owner)) ?? renew(owner),
  /**
   * Begins the lease anew.
   * @throws StoreLocked where the server does not give them.
   */
  renew,
  /** Since when the lease runs, in milliseconds; 0 where no keys are in hand. */
  renewedAt: (): number => (current ? renewedAt : 0),
  /** Whether this page had keys, and their lease is over. */
  isOver: (): boolean => isLapsed || (current !== undefined && isOver(current, Date.now())),
  /** Whether they are to be kept only while the page is in sight. */
  isForSightOnly: (): boolean => current?.until === null,
  /** Destroys them: what lies here is unreadable until the server gives them again. */
  drop,
  /** As a new page finds it, for the next test. */
  forgetMemory: (): void => {
    current = undefined
    renewedAt = 0
    isLapsed = false
    underWay.clear()
  },
}
