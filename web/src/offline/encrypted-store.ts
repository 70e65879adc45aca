// Encrypted IndexedDB of offline data, one database per organization and user.
import { get, promisifyRequest, type UseStore } from 'idb-keyval'
import { readText, removeItem, writeText } from '@/lib/storage'
import { OWNER_KEY } from './device-owner'
import { isEncrypted, decryptText, type EncryptedData, encryptText } from './encryption'
import { type StoreKeys, storeKeys, StoreLockedError } from './store-keys'

const PREFIX = 'toolbox:'
const STORE = 'queries'
/** Version 1 was not encrypted and is dropped. */
const VERSION = 2

const openStores = new Map<string, UseStore>()
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
    // An open connection would block deletion by another tab.
    database.addEventListener('versionchange', () => {
      database.close()
      onClosed()
    })
  })
  return promisifyRequest(request)
}

function storeOf(owner: string): UseStore {
  const known = openStores.get(owner)
  if (known) return known
  const forgetStore = () => openStores.delete(owner)
  const database = openDatabase(`${PREFIX}${owner}`, forgetStore)
  database.catch(forgetStore)
  const store: UseStore = async (mode, action) => action((await database).transaction(STORE, mode).objectStore(STORE))
  openStores.set(owner, store)
  return store
}

async function writeRecord(owner: string, key: string, value: EncryptedData): Promise<void> {
  await storeOf(owner)('readwrite', (store) => {
    store.put(value, key)
    // Commits at once: a closing page gets no events.
    store.transaction.commit()
    return promisifyRequest(store.transaction)
  })
}

async function clearStore(owner: string): Promise<void> {
  removeItem(localStorage, OWNER_KEY)
  await promisifyRequest(indexedDB.deleteDatabase(`${PREFIX}${owner}`))
}

const getRecordContext = (owner: string, key: string) => `store|${owner}|${key}`

/** Without keys nothing is stored. */
async function keysUnlessLocked(keys: Promise<StoreKeys | undefined>): Promise<StoreKeys | undefined> {
  try {
    return await keys
  } catch (error) {
    if (error instanceof StoreLockedError) return undefined
    throw error
  }
}

export const encryptedStore = {
  /** Data of the last user while the lease is valid; no request. */
  read: async (key: string): Promise<string | undefined> => {
    const owner = readText(localStorage, OWNER_KEY)
    if (owner === null) return undefined
    const record = await get<unknown>(key, storeOf(owner))
    if (!isEncrypted(record)) return undefined
    const keys = await keysUnlessLocked(storeKeys.getValid(owner))
    return keys && decryptText(keys.store, getRecordContext(owner, key), record)
  },
  /** Data of another owner is deleted first. */
  write: async (owner: string, key: string, value: string): Promise<void> => {
    if (isClosed) return
    const keys = await keysUnlessLocked(storeKeys.need(owner))
    if (!keys) return
    const sealed = await encryptText(keys.store, getRecordContext(owner, key), value)
    const before = readText(localStorage, OWNER_KEY)
    if (before !== null && before !== owner) await clearStore(before)
    // Signed out during encryption.
    if (isClosed) return
    await writeRecord(owner, key, sealed)
    writeText(localStorage, OWNER_KEY, owner)
  },
  remove: async (key: string): Promise<void> => {
    const owner = readText(localStorage, OWNER_KEY)
    if (owner === null) return
    await storeOf(owner)('readwrite', (store) => {
      store.delete(key)
      return promisifyRequest(store.transaction)
    })
  },
  forget: async (): Promise<void> => {
    const owner = readText(localStorage, OWNER_KEY)
    if (owner !== null) await clearStore(owner)
  },
  /** Blocks later writes, so that a save in flight restores nothing. */
  close: (): void => {
    isClosed = true
  },
  /** For tests. */
  reopen: (): void => {
    isClosed = false
    openStores.clear()
  },
}
