// The database on this device that holds what an offline start shows. Its name holds org and user: no two share one.
import { get, promisifyRequest, type UseStore } from 'idb-keyval'
import { readText, remove, writeText } from '@/lib/storage'

/** Who the data on this device belongs to, for a start without a network. */
const OWNER_KEY = 'toolbox.offline-owner'
const PREFIX = 'toolbox:'
const STORE = 'queries'

const opened = new Map<string, UseStore>()
let isClosed = false

function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE))
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

async function put(owner: string, key: string, value: string): Promise<void> {
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

export const deviceStore = {
  /** Whether anybody who signed in here has data on this device. */
  isOwned: (): boolean => readText(localStorage, OWNER_KEY) !== null,
  /** What was kept for the last user of this device. */
  read: async (key: string): Promise<string | undefined> => {
    const owner = readText(localStorage, OWNER_KEY)
    return owner === null ? undefined : get<string>(key, storeOf(owner))
  },
  /** Keeps it for this owner; another owner's data goes first. */
  write: async (owner: string, key: string, value: string): Promise<void> => {
    if (isClosed) return
    const before = readText(localStorage, OWNER_KEY)
    if (before !== null && before !== owner) await empty(before)
    await put(owner, key, value)
    writeText(localStorage, OWNER_KEY, owner)
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
