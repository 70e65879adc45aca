// Keys of stored data. The server issues them to a live session; here they are non-extractable and expire with the
// lease (docs/data-protection.md). Used by page and service worker.
import { promisifyRequest } from 'idb-keyval'
import { CLIENT_HEADERS } from '@/api/client-headers'
import { isDemoMode } from '@/lib/demo'
import { canEncrypt, importKey } from './encryption'

export type StoreKeys = {
  /** `<org>:<account>` */
  owner: string
  /** For cached data. */
  store: CryptoKey
  /** For the outbox. */
  unsent: CryptoKey
  /** End of the lease; null: while the page is visible. */
  until: number | null
  /** Latest clock value seen. */
  seenAt: number
}

/** `waiting`: server busy. `other`: another user is signed in. */
export type LockReason = 'offline' | 'waiting' | 'signed-out' | 'other'

export class StoreLockedError extends Error {
  readonly why: LockReason

  constructor(why: LockReason) {
    super(`The offline store is locked: ${why}`)
    this.name = 'StoreLocked'
    this.why = why
  }
}

export const KEYS_DATABASE = 'toolbox-keys'
const STORE = 'keys'
const CURRENT = 'current'
const STORE_ID = 'store-id'
/** Allowed clock correction; a larger step back ends the lease. */
const MAX_CLOCK_STEP_MS = 5 * 60_000
const KEY_CACHE_MS = 60_000

let current: StoreKeys | undefined
let renewedAt = 0
let isLeaseExpired = false
const pendingRequests = new Map<string, Promise<StoreKeys>>()

/** Missing or forbidden in some private windows. */
async function openDatabase(): Promise<IDBDatabase> {
  // Nor in the demonstration.
  if (isDemoMode() || !('indexedDB' in globalThis)) throw new StoreLockedError('waiting')
  try {
    const request = indexedDB.open(KEYS_DATABASE, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE))
    return await promisifyRequest(request)
  } catch (error) {
    if (error instanceof DOMException) throw new StoreLockedError('waiting')
    throw error
  }
}

async function runTransaction<T>(
  mode: IDBTransactionMode,
  action: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
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

const isExpired = ({ until, seenAt }: StoreKeys, now: number): boolean =>
  (until !== null && now >= until) || now < seenAt - MAX_CLOCK_STEP_MS

async function saveKeys(keys: StoreKeys): Promise<void> {
  if (keys.until === null) await runTransaction('readwrite', (store) => store.delete(CURRENT))
  else await runTransaction('readwrite', (store) => store.put(keys, CURRENT))
}

/** Browser id for the server; grants nothing. */
async function getStoreId(): Promise<string> {
  const known: unknown = await runTransaction<unknown>('readonly', (store) => store.get(STORE_ID))
  if (typeof known === 'string') return known
  // Available wherever encryption is.
  const made = crypto.randomUUID()
  await runTransaction('readwrite', (store) => store.put(made, STORE_ID))
  return made
}

async function deleteKeys(): Promise<void> {
  current = undefined
  renewedAt = 0
  try {
    await runTransaction('readwrite', (store) => store.delete(CURRENT))
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error
  }
}

/** Keys with a valid lease; expired ones are deleted. */
async function getValidKeys(owner: string): Promise<StoreKeys | undefined> {
  const now = Date.now()
  const storedKeys = current ?? (await runTransaction<StoreKeys | undefined>('readonly', (store) => store.get(CURRENT)))
  if (!storedKeys) return undefined
  if (isExpired(storedKeys, now)) {
    await deleteKeys()
    isLeaseExpired = true
    return undefined
  }
  current = storedKeys
  if (now > storedKeys.seenAt + KEY_CACHE_MS) {
    current = { ...storedKeys, seenAt: now }
    await saveKeys(current)
  }
  return storedKeys.owner === owner ? storedKeys : undefined
}

async function requestKeys(): Promise<Response> {
  const body = JSON.stringify({ storeId: await getStoreId() })
  const headers = { ...CLIENT_HEADERS, 'Content-Type': 'application/json', Accept: 'application/json' }
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
    if (error instanceof TypeError || error instanceof DOMException) throw new StoreLockedError('offline')
    throw error
  }
}

type KeyResponse = { orgId: string; accountId: string; storeKey: string; unsentKey: string; leaseSeconds: number }

async function fetchKeys(owner: string): Promise<StoreKeys> {
  if (!canEncrypt()) throw new StoreLockedError('waiting')
  const answer = await requestKeys()
  if (answer.status === 401) {
    // Session ended.
    await deleteKeys()
    throw new StoreLockedError('signed-out')
  }
  // HTML response of a captive portal.
  if (!answer.ok || !/\bjson\b/.test(answer.headers.get('Content-Type') ?? '')) throw new StoreLockedError('waiting')
  const { orgId, accountId, storeKey, unsentKey, leaseSeconds } = (await answer.json()) as KeyResponse
  if (`${orgId}:${accountId}` !== owner) throw new StoreLockedError('other')
  const now = Date.now()
  const [store, unsent] = await Promise.all([importKey(storeKey), importKey(unsentKey)])
  current = { owner, store, unsent, until: leaseSeconds > 0 ? now + leaseSeconds * 1000 : null, seenAt: now }
  renewedAt = now
  isLeaseExpired = false
  await saveKeys(current)
  return current
}

/** Concurrent calls share one request. */
function renewKeys(owner: string): Promise<StoreKeys> {
  const pending = pendingRequests.get(owner)
  if (pending) return pending
  const asking = fetchKeys(owner).finally(() => pendingRequests.delete(owner))
  pendingRequests.set(owner, asking)
  return asking
}

export const storeKeys = {
  /** No request. */
  getValid: getValidKeys,
  /** Local keys, else the server's. @throws StoreLockedError where there are none. */
  need: async (owner: string): Promise<StoreKeys> => (await getValidKeys(owner)) ?? renewKeys(owner),
  /** Renews the lease. @throws StoreLockedError where the server refuses. */
  renew: renewKeys,
  /** Start of the lease in milliseconds; 0 without keys. */
  renewedAt: (): number => (current ? renewedAt : 0),
  isOver: (): boolean => isLeaseExpired || (current !== undefined && isExpired(current, Date.now())),
  /** Whether the keys last only while the page is visible. */
  isForSightOnly: (): boolean => current?.until === null,
  delete: deleteKeys,
  /** For tests. */
  forgetMemory: (): void => {
    current = undefined
    renewedAt = 0
    isLeaseExpired = false
    pendingRequests.clear()
  },
}
