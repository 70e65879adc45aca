// Where the outbox stands on the device: a database of its own per person, which outlives an ended session.
//
// Photos lie beside their entries as plain bytes: some phones lose the content of a Blob that is kept for long.
import { promisifyRequest } from 'idb-keyval'
import type { Entry, NewEntry } from './entry'

const PREFIX = 'toolbox-outbox:'
const ENTRIES = 'entries'
const PHOTOS = 'photos'

async function open(owner: string): Promise<IDBDatabase> {
  const request = indexedDB.open(`${PREFIX}${owner}`, 1)
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(ENTRIES, { keyPath: 'id', autoIncrement: true })
    request.result.createObjectStore(PHOTOS)
  })
  return promisifyRequest(request)
}

/** Opened for each use: a connection left open would stand in the way of who deletes it. */
async function within<T>(owner: string, mode: IDBTransactionMode, action: (entries: IDBObjectStore, photos: IDBObjectStore) => Promise<T>): Promise<T> {
  const database = await open(owner)
  try {
    const transaction = database.transaction([ENTRIES, PHOTOS], mode, { durability: 'strict' })
    const result = await action(transaction.objectStore(ENTRIES), transaction.objectStore(PHOTOS))
    if (mode === 'readwrite') await promisifyRequest(transaction)
    return result
  } finally {
    database.close()
  }
}

export const outboxStore = {
  /** All of them, oldest first. */
  all: (owner: string): Promise<Entry[]> => within(owner, 'readonly', (entries) => promisifyRequest<Entry[]>(entries.getAll())),

  /** Keeps it, with its photo where it has one. */
  add: (owner: string, entry: NewEntry, photo?: ArrayBuffer): Promise<Entry> =>
    within(owner, 'readwrite', async (entries, photos) => {
      const kept = { ...entry, tries: 0, notBefore: 0, refusal: null }
      const id = Number(await promisifyRequest(entries.add(kept)))
      if (photo) await promisifyRequest(photos.put(photo, id))
      return { ...kept, id }
    }),

  /** Writes down how it went. One that was discarded meanwhile stays away. */
  change: (owner: string, entry: Entry): Promise<void> =>
    within(owner, 'readwrite', async (entries) => {
      if (await promisifyRequest(entries.count(entry.id))) await promisifyRequest(entries.put(entry))
    }),

  /** The copies that wait for this one learn what the server calls it. */
  nameOriginal: (owner: string, id: number, fileId: string): Promise<void> =>
    within(owner, 'readwrite', async (entries) => {
      const waiting = await promisifyRequest<Entry[]>(entries.getAll())
      const copies = waiting.filter(({ command }) => command.kind === 'photo' && command.copyOf && 'entryId' in command.copyOf && command.copyOf.entryId === id)
      await Promise.all(copies.map((copy) => promisifyRequest(entries.put({ ...copy, command: { ...copy.command, copyOf: { fileId } } }))))
    }),

  remove: (owner: string, id: number): Promise<void> =>
    within(owner, 'readwrite', async (entries, photos) => {
      await promisifyRequest(entries.delete(id))
      await promisifyRequest(photos.delete(id))
    }),

  photo: (owner: string, id: number): Promise<ArrayBuffer | undefined> =>
    within(owner, 'readonly', (_entries, photos) => promisifyRequest<ArrayBuffer | undefined>(photos.get(id))),

  /** Everybody who has an outbox on this device. */
  owners: async (): Promise<string[]> => {
    // Older browsers cannot list them; there the page alone sends.
    const databases = (await indexedDB.databases?.()) ?? []
    return databases.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))
  },

  /** Removes it with all that was not sent. */
  forget: async (owner: string): Promise<void> => {
    await promisifyRequest(indexedDB.deleteDatabase(`${PREFIX}${owner}`))
  },
}
