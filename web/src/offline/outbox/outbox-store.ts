// Where the outbox stands on the device, encrypted: a database of its own per person, which outlives an ended session.
//
// Photos lie beside their entries as plain bytes: some phones lose the content of a Blob that is kept for long.
import { promisifyRequest } from 'idb-keyval'
import { canSeal, isSealed, open as unseal, openText, seal, type Sealed, sealText } from '../seal'
import { storeKeys } from '../store-keys'
import type { Entry, NewEntry } from './entry'
import { outboxMemory } from './outbox-memory'

const PREFIX = 'toolbox-outbox:'
const ENTRIES = 'entries'
const PHOTOS = 'photos'

/** An entry as it lies there; its id tells nothing. */
type Kept = Sealed & { id: number }
/** As an earlier version kept it: readable. */
type Plain = { entry: Entry; photo: ArrayBuffer | undefined }

async function openDatabase(owner: string): Promise<IDBDatabase> {
  const request = indexedDB.open(`${PREFIX}${owner}`, 1)
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(ENTRIES, { keyPath: 'id', autoIncrement: true })
    request.result.createObjectStore(PHOTOS)
  })
  return promisifyRequest(request)
}

/** Opened for each use: a connection left open would stand in the way of who deletes it. Nothing is encrypted in between: a transaction does not wait for that. */
async function within<T>(
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

const aboutEntry = (owner: string) => `entry|${owner}`
const aboutPhoto = (owner: string) => `photo|${owner}`

const keyOf = async (owner: string): Promise<CryptoKey> => (await storeKeys.need(owner)).unsent

/** The id is not sealed: the database gives it. */
async function toKept(owner: string, key: CryptoKey, { id, ...entry }: Entry): Promise<Kept> {
  return { ...(await sealText(key, aboutEntry(owner), JSON.stringify(entry))), id }
}

async function toEntry(owner: string, key: CryptoKey, kept: Kept): Promise<Entry[]> {
  const text = await openText(key, aboutEntry(owner), kept)
  // Sealed for somebody who was removed from the business meanwhile: it is nobody's any more.
  return text === undefined ? [] : [{ ...(JSON.parse(text) as Omit<Entry, 'id'>), id: kept.id }]
}

/** Encrypts what an earlier version has left. */
async function protect(owner: string, key: CryptoKey, entries: Entry[]): Promise<void> {
  const plain = await within(owner, 'readonly', (_entries, photos) =>
    Promise.all(
      entries.map(async (entry): Promise<Plain> => ({
        entry,
        photo: await promisifyRequest<ArrayBuffer | undefined>(photos.get(entry.id)),
      })),
    ),
  )
  const sealed = await Promise.all(
    plain.map(async ({ entry, photo }) => ({
      kept: await toKept(owner, key, entry),
      photo: photo && !isSealed(photo) ? await seal(key, aboutPhoto(owner), photo) : undefined,
    })),
  )
  await within(owner, 'readwrite', async (store, photos) => {
    await Promise.all(
      sealed.map(async ({ kept, photo }) => {
        // Sent or discarded meanwhile by another tab.
        if (!(await promisifyRequest(store.count(kept.id)))) return
        await promisifyRequest(store.put(kept))
        if (photo) await promisifyRequest(photos.put(photo, kept.id))
      }),
    )
  })
}

async function all(owner: string): Promise<Entry[]> {
  if (!canSeal()) return outboxMemory.all(owner)
  const rows = await within(owner, 'readonly', (entries) => promisifyRequest<(Kept | Entry)[]>(entries.getAll()))
  // An empty outbox needs no key.
  if (rows.length === 0) return []
  const key = await keyOf(owner)
  const plain = rows.filter((row): row is Entry => !isSealed(row))
  if (plain.length > 0) await protect(owner, key, plain)
  return (
    await Promise.all(rows.map((row) => (isSealed(row) ? toEntry(owner, key, row) : Promise.resolve([row]))))
  ).flat()
}

/** Puts back what is still there. One that was discarded meanwhile stays away. */
async function putBack(owner: string, changed: readonly Entry[]): Promise<void> {
  if (changed.length === 0) return
  if (!canSeal()) {
    for (const entry of changed) outboxMemory.change(owner, entry)
    return
  }
  const key = await keyOf(owner)
  const kept = await Promise.all(changed.map((entry) => toKept(owner, key, entry)))
  await within(owner, 'readwrite', async (entries) => {
    await Promise.all(
      kept.map(async (row) => {
        if (await promisifyRequest(entries.count(row.id))) await promisifyRequest(entries.put(row))
      }),
    )
  })
}

function drawnFrom(copy: Entry, fileId: string): Entry {
  return copy.command.kind === 'photo' ? { ...copy, command: { ...copy.command, copyOf: { fileId } } } : copy
}

/** Everything but `owners`, `remove` and `forget` throws StoreLocked where the keys are not to be had. */
export const outboxStore = {
  /** All of them, oldest first. */
  all,

  /** Keeps it, with its photo where it has one. */
  add: async (owner: string, entry: NewEntry, photo?: ArrayBuffer): Promise<Entry> => {
    if (!canSeal()) return outboxMemory.add(owner, entry, photo)
    const key = await keyOf(owner)
    const whole = { ...entry, tries: 0, notBefore: 0, refusal: null }
    const sealed = await sealText(key, aboutEntry(owner), JSON.stringify(whole))
    const picture = photo && (await seal(key, aboutPhoto(owner), photo))
    return within(owner, 'readwrite', async (entries, photos) => {
      const id = Number(await promisifyRequest(entries.add(sealed)))
      if (picture) await promisifyRequest(photos.put(picture, id))
      return { ...whole, id }
    })
  },

  /** Writes down how it went. */
  change: (owner: string, entry: Entry): Promise<void> => putBack(owner, [entry]),

  /** The copies that wait for this one learn what the server calls it. */
  nameOriginal: async (owner: string, id: number, fileId: string): Promise<void> => {
    const waiting = await all(owner)
    const copies = waiting.filter(
      ({ command }) =>
        command.kind === 'photo' && command.copyOf && 'entryId' in command.copyOf && command.copyOf.entryId === id,
    )
    await putBack(
      owner,
      copies.map((copy) => drawnFrom(copy, fileId)),
    )
  },

  remove: async (owner: string, id: number): Promise<void> => {
    outboxMemory.remove(owner, id)
    await within(owner, 'readwrite', async (entries, photos) => {
      await promisifyRequest(entries.delete(id))
      await promisifyRequest(photos.delete(id))
    })
  },

  photo: async (owner: string, id: number): Promise<ArrayBuffer | undefined> => {
    if (!canSeal()) return outboxMemory.photo(owner, id)
    const kept = await within(owner, 'readonly', (_entries, photos) => promisifyRequest<unknown>(photos.get(id)))
    return isSealed(kept) ? unseal(await keyOf(owner), aboutPhoto(owner), kept) : undefined
  },

  /** Everybody who has an outbox on this device. */
  owners: async (): Promise<string[]> => {
    // Older browsers cannot list them; there the page alone sends.
    const databases = (await indexedDB.databases?.()) ?? []
    return databases.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))
  },

  /** Removes it with all that was not sent. */
  forget: async (owner: string): Promise<void> => {
    outboxMemory.forget(owner)
    await promisifyRequest(indexedDB.deleteDatabase(`${PREFIX}${owner}`))
  },
}

/** Whether this is the database of somebody's outbox. */
export const isOutbox = (database: string): boolean => database.startsWith(PREFIX)
/** The database of this person's outbox. */
export const outboxName = (owner: string): string => `${PREFIX}${owner}`
