// Device store with lazy loading of database and encryption, which visitors never need.
import { readText } from '@/lib/storage'
import { OWNER_KEY } from './device-owner'

const readOwner = (): string | undefined => readText(localStorage, OWNER_KEY) ?? undefined

async function loadStore() {
  const { encryptedStore: sealedStore } = await import('./encrypted-store')
  return sealedStore
}

let isClosed = false

export const deviceStore = {
  isOwned: (): boolean => readOwner() !== undefined,
  /** `<org>:<account>` of the last user. */
  owner: readOwner,
  /** Data of the last user while the lease is valid; no request. */
  read: async (key: string): Promise<string | undefined> =>
    readOwner() === undefined ? undefined : (await loadStore()).read(key),
  /** Data of another owner is deleted first. */
  write: async (whose: string, key: string, value: string): Promise<void> => {
    if (!isClosed) await (await loadStore()).write(whose, key, value)
  },
  remove: async (key: string): Promise<void> => {
    if (readOwner() !== undefined) await (await loadStore()).remove(key)
  },
  forget: async (): Promise<void> => {
    if (readOwner() !== undefined) await (await loadStore()).forget()
  },
  /** Deletes the keys too: data stays unreadable until the server returns them. */
  lock: async (): Promise<void> => {
    const { storeKeys } = await import('./store-keys')
    await storeKeys.delete()
  },
  /** Blocks later writes, so that a save in flight restores nothing. */
  close: async (): Promise<void> => {
    isClosed = true
    const closing = await loadStore()
    closing.close()
  },
  /** For tests. */
  reopen: async (): Promise<void> => {
    isClosed = false
    const opening = await loadStore()
    opening.reopen()
  },
}
