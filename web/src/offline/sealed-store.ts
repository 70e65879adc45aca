// The database on this device that holds what an offline start shows, encrypted. Its name holds org and user: no two share one.
import { get, promisifyRequest, type UseStore } from 'idb-keyval'
import { readText, remove, writeText } from '@/lib/storage'
import { OWNER_KEY } from './device-owner'
import { isSealed, openText, type Sealed, sealText } from './seal'
import { type StoreKeys, storeKeys, StoreLocked } from './store-keys'

const PREFIX = 'toolbox:'
const STORE = 'queries'
/** Version 1 was not encrypted: what it holds is removed. */
const VERSION = 2

const opened = new Map<string, UseStore>()
let isClosed = false

function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name, VERSION)
  request.addEventListener('upgradeneeded', () => {
    const database = request.result
    if (database.objectStoreNames.contains(STORE)) database.deleteObjectStore(STORE)
    database.createObjectStore(STORE)
  })
  request.addEventListener('success', () => {
    const database = request.result
    database.addEventListener('close', onClosed)
    // Another tab, or this one, deletes it: a connection left open would put that off without end.
    database.addEventListener('versionchange', () => {
      database.close()
      onClosed()
    })
  })
  return promisifyRequest(request)
}

function storeOf(owner: string): UseStore {
  const known = opened.get(owner)
  if (known) return known
  const forgetStore = () => opened.delete(owner)
  const database = openDatabase(`${PREFIX}${owner}`, forgetStore)
  database.catch(forgetStore)
  const store: UseStore = async (mode, action) => action((await database).transaction(STORE, mode).objectStore(STORE))
  opened.set(owner, store)
  return store
}

async function put(owner: string, key: string, value: Sealed): Promise<void> {
  await storeOf(owner)('readwrite', (store) => {
    store.put(value, key)
    // At once: a page that is being left does not live to see its requests answered.
    store.transaction.commit()
    return promisifyRequest(store.transaction)
  })
}

async function empty(owner: string): Promise<void> {
  remove(localStorage, OWNER_KEY)
  await promisifyRequest(indexedDB.deleteDatabase(`${PREFIX}${owner}`))
}

const aboutOf = (owner: string, key: string) => `store|${owner}|${key}`

/** Without keys nothing is kept: the server has it all, and gives it again. */
async function unlessLocked(keys: Promise<StoreKeys | undefined>): Promise<StoreKeys | undefined> {
  try {
    return await keys
  } catch (error) {
    if (error instanceof StoreLocked) return undefined
    throw error
  }
}

export const sealedStore = {
  /** What was kept for the last user of this device, while its lease runs. The server is not asked. */
  read: async (key: string): Promise<string | undefined> => {
    const owner = readText(localStorage, OWNER_KEY)
    if (owner === null) return undefined
    const kept = await get<unknown>(key, storeOf(owner))
    if (!isSealed(kept)) return undefined
    const keys = await unlessLocked(storeKeys.held(owner))
    return keys && openText(keys.store, aboutOf(owner, key), kept)
  },
  /** Keeps it for this owner; another owner's data goes first. */
  write: async (owner: string, key: string, value: string): Promise<void> => {
    if (isClosed) return
    const keys = await unlessLocked(storeKeys.need(owner))
    if (!keys) return
    const sealed = await sealText(keys.store, aboutOf(owner, key), value)
    const before = readText(localStorage, OWNER_KEY)
    if (before !== null && before !== owner) await empty(before)
    // Signed out while it was encrypted.
    if (isClosed) return
    await put(owner, key, sealed)
    writeText(localStorage, OWNER_KEY, owner)
  },
  /** Removes one thing that is kept. */
  remove: async (key: string): Promise<void> => {
    const owner = readText(localStorage, OWNER_KEY)
    if (owner === null) return
    await storeOf(owner)('readwrite', (store) => {
      store.delete(key)
      return promisifyRequest(store.transaction)
    })
  },
  /** Removes what is kept, whoever it belongs to. */
  forget: async (): Promise<void> => {
    const owner = readText(localStorage, OWNER_KEY)
    if (owner !== null) await empty(owner)
  },
  /** From now on nothing is written: a save that was under way must not bring back what was removed. */
  close: (): void => {
    isClosed = true
  },
  /** Opens it again, for the next test. */
  reopen: (): void => {
    isClosed = false
    opened.clear()
  },
}
