// Encrypted outbox, one database per user, kept after a session ends. Photos are stored as bytes: some phones lose
// long-lived Blobs.
import { promisifyRequest } from 'idb-keyval'
import {
  canEncrypt,
  isEncrypted,
  decryptBytes as unseal,
  decryptText,
  encryptBytes,
  type EncryptedData,
  encryptText,
} from '../encryption'
import { storeKeys } from '../store-keys'
import type { OutboxEntry, NewOutboxEntry } from './entry'
import { outboxMemory } from './outbox-memory'

const PREFIX = 'toolbox-outbox:'
const ENTRIES = 'entries'
const PHOTOS = 'photos'

type StoredEntry = EncryptedData & { id: number }
/** Unencrypted entry of an earlier version. */
type LegacyEntry = { entry: OutboxEntry; photo: ArrayBuffer | undefined }

async function openDatabase(owner: string): Promise<IDBDatabase> {
  const request = indexedDB.open(`${PREFIX}${owner}`, 1)
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(ENTRIES, { keyPath: 'id', autoIncrement: true })
    request.result.createObjectStore(PHOTOS)
  })
  return promisifyRequest(request)
}

/** One connection per use: an open one would block deletion. No encryption inside: transactions do not wait. */
async function runTransaction<T>(
  owner: string,
  mode: IDBTransactionMode,
  action: (entries: IDBObjectStore, photos: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(owner)
  try {
    const transaction = database.transaction([ENTRIES, PHOTOS], mode, { durability: 'strict' })
    const result = await action(transaction.objectStore(ENTRIES), transaction.objectStore(PHOTOS))
    if (mode === 'readwrite') await promisifyRequest(transaction)
    return result
  } finally {
    database.close()
  }
}

const entryContext = (owner: string) => `entry|${owner}`
const photoContext = (owner: string) => `photo|${owner}`

const getUnsentKey = async (owner: string): Promise<CryptoKey> => (await storeKeys.need(owner)).unsent

/** The database assigns the id. */
async function encryptEntry(owner: string, key: CryptoKey, { id, ...entry }: OutboxEntry): Promise<StoredEntry> {
  return { ...(await encryptText(key, entryContext(owner), JSON.stringify(entry))), id }
}

async function decryptEntry(owner: string, key: CryptoKey, stored: StoredEntry): Promise<OutboxEntry[]> {
  const text = await decryptText(key, entryContext(owner), stored)
  // Entry of a removed member.
  return text === undefined ? [] : [{ ...(JSON.parse(text) as Omit<OutboxEntry, 'id'>), id: stored.id }]
}

async function encryptLegacy(owner: string, key: CryptoKey, entries: OutboxEntry[]): Promise<void> {
  const plain = await runTransaction(owner, 'readonly', (_entries, photos) =>
    Promise.all(
      entries.map(async (entry): Promise<LegacyEntry> => ({
        entry,
        photo: await promisifyRequest<ArrayBuffer | undefined>(photos.get(entry.id)),
      })),
    ),
  )
  const sealed = await Promise.all(
    plain.map(async ({ entry, photo }) => ({
      stored: await encryptEntry(owner, key, entry),
      photo: photo && !isEncrypted(photo) ? await encryptBytes(key, photoContext(owner), photo) : undefined,
    })),
  )
  await runTransaction(owner, 'readwrite', async (store, photos) => {
    await Promise.all(
      sealed.map(async ({ stored, photo }) => {
        // Sent or discarded by another tab.
        if (!(await promisifyRequest(store.count(stored.id)))) return
        await promisifyRequest(store.put(stored))
        if (photo) await promisifyRequest(photos.put(photo, stored.id))
      }),
    )
  })
}

async function readAll(owner: string): Promise<OutboxEntry[]> {
  if (!canEncrypt()) return outboxMemory.all(owner)
  const rows = await runTransaction(owner, 'readonly', (entries) =>
    promisifyRequest<(StoredEntry | OutboxEntry)[]>(entries.getAll()),
  )
  // An empty outbox needs no key.
  if (rows.length === 0) return []
  const key = await getUnsentKey(owner)
  const plain = rows.filter((row): row is OutboxEntry => !isEncrypted(row))
  if (plain.length > 0) await encryptLegacy(owner, key, plain)
  return (
    await Promise.all(rows.map((row) => (isEncrypted(row) ? decryptEntry(owner, key, row) : Promise.resolve([row]))))
  ).flat()
}

/** Discarded entries stay deleted. */
async function updateEntries(owner: string, changed: readonly OutboxEntry[]): Promise<void> {
  if (changed.length === 0) return
  if (!canEncrypt()) {
    for (const entry of changed) outboxMemory.change(owner, entry)
    return
  }
  const key = await getUnsentKey(owner)
  const stored = await Promise.all(changed.map((entry) => encryptEntry(owner, key, entry)))
  await runTransaction(owner, 'readwrite', async (entries) => {
    await Promise.all(
      stored.map(async (row) => {
        if (await promisifyRequest(entries.count(row.id))) await promisifyRequest(entries.put(row))
      }),
    )
  })
}

function withOriginalFile(copy: OutboxEntry, fileId: string): OutboxEntry {
  return copy.command.kind === 'photo' ? { ...copy, command: { ...copy.command, copyOf: { fileId } } } : copy
}

/** All but `owners`, `remove` and `forget` throw StoreLockedError without keys. */
export const outboxStore = {
  /** Oldest first. */
  all: readAll,

  add: async (owner: string, entry: NewOutboxEntry, photo?: ArrayBuffer): Promise<OutboxEntry> => {
    if (!canEncrypt()) return outboxMemory.add(owner, entry, photo)
    const key = await getUnsentKey(owner)
    const whole = { ...entry, tries: 0, notBefore: 0, refusal: null }
    const sealed = await encryptText(key, entryContext(owner), JSON.stringify(whole))
    const picture = photo && (await encryptBytes(key, photoContext(owner), photo))
    return runTransaction(owner, 'readwrite', async (entries, photos) => {
      const id = Number(await promisifyRequest(entries.add(sealed)))
      if (picture) await promisifyRequest(photos.put(picture, id))
      return { ...whole, id }
    })
  },

  change: (owner: string, entry: OutboxEntry): Promise<void> => updateEntries(owner, [entry]),

  /** Sets the server's file id on copies of this photo. */
  nameOriginal: async (owner: string, id: number, fileId: string): Promise<void> => {
    const waiting = await readAll(owner)
    const copies = waiting.filter(
      ({ command }) =>
        command.kind === 'photo' && command.copyOf && 'entryId' in command.copyOf && command.copyOf.entryId === id,
    )
    await updateEntries(
      owner,
      copies.map((copy) => withOriginalFile(copy, fileId)),
    )
  },

  remove: async (owner: string, id: number): Promise<void> => {
    outboxMemory.remove(owner, id)
    await runTransaction(owner, 'readwrite', async (entries, photos) => {
      await promisifyRequest(entries.delete(id))
      await promisifyRequest(photos.delete(id))
    })
  },

  photo: async (owner: string, id: number): Promise<ArrayBuffer | undefined> => {
    if (!canEncrypt()) return outboxMemory.photo(owner, id)
    const stored = await runTransaction(owner, 'readonly', (_entries, photos) =>
      promisifyRequest<unknown>(photos.get(id)),
    )
    return isEncrypted(stored) ? unseal(await getUnsentKey(owner), photoContext(owner), stored) : undefined
  },

  owners: async (): Promise<string[]> => {
    // Missing in older browsers; there only the page sends.
    const databases = (await indexedDB.databases?.()) ?? []
    return databases.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))
  },

  forget: async (owner: string): Promise<void> => {
    outboxMemory.forget(owner)
    await promisifyRequest(indexedDB.deleteDatabase(`${PREFIX}${owner}`))
  },
}

export const isOutboxDatabase = (database: string): boolean => database.startsWith(PREFIX)
export const getOutboxName = (owner: string): string => `${PREFIX}${owner}`
