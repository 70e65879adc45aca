// What an offline start shows, as the start asks for it. The databases and their encryption come when there is something to
// read or keep: a visitor needs neither.
import { readText } from '@/lib/storage'
import { OWNER_KEY } from './device-owner'

const owner = (): string | undefined => readText(localStorage, OWNER_KEY) ?? undefined

async function store() {
  const { sealedStore } = await import('./sealed-store')
  return sealedStore
}

let isClosed = false

export const deviceStore = {
  /** Whether anybody who signed in here has data on this device. */
  isOwned: (): boolean => owner() !== undefined,
  /** `<org>:<account>` of the last user of this device. */
  owner,
  /** What was kept for the last user of this device, while its lease runs. The server is not asked. */
  read: async (key: string): Promise<string | undefined> =>
    owner() === undefined ? undefined : (await store()).read(key),
  /** Keeps it for this owner; another owner's data goes first. */
  write: async (whose: string, key: string, value: string): Promise<void> => {
    if (!isClosed) await (await store()).write(whose, key, value)
  },
  /** Removes one thing that is kept. */
  remove: async (key: string): Promise<void> => {
    if (owner() !== undefined) await (await store()).remove(key)
  },
  /** Removes what is kept, whoever it belongs to. */
  forget: async (): Promise<void> => {
    if (owner() !== undefined) await (await store()).forget()
  },
  /** Destroys the keys too: nothing here is readable until the server gives them again. */
  lock: async (): Promise<void> => {
    const { storeKeys } = await import('./store-keys')
    await storeKeys.drop()
  },
  /** From now on nothing is written: a save that was under way must not bring back what was removed. */
  close: async (): Promise<void> => {
    isClosed = true
    const closing = await store()
    closing.close()
  },
  /** Opens it again, for the next test. */
  reopen: async (): Promise<void> => {
    isClosed = false
    const opening = await store()
    opening.reopen()
  },
}
