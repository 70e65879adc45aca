// What signing out removes from this device: every place that holds a customer's data.
import { markIcon } from '@/pwa/app-badge'
import { forgetErrors } from '@/ui/toast/kept-errors'
import { deviceStore } from './device-store'
import { isOutbox, outboxName } from './outbox/outbox-store'
import { KEYS_DATABASE, storeKeys } from './store-keys'

/** The precached shell holds no data of anybody, and is what the next start without a network needs. */
const isShell = (name: string) => name.includes('precache')

/** What another person has not sent from here stays: it is unreadable, and theirs. So does this browser's name, by which they get its key. */
const isOthers = (name: string, owner: string | undefined) =>
  name === KEYS_DATABASE || (isOutbox(name) && owner !== undefined && name !== outboxName(owner))

async function deleteDatabases(owner: string | undefined): Promise<void> {
  // Older browsers cannot list them; ours is gone by then.
  const databases = (await globalThis.indexedDB.databases?.()) ?? []
  // Not waited for: one that is open elsewhere goes when this page does.
  for (const { name } of databases) if (name && !isOthers(name, owner)) indexedDB.deleteDatabase(name)
}

async function deleteCaches(): Promise<void> {
  // Without a secure address there are none.
  if (!('caches' in globalThis)) return
  const names = await caches.keys()
  await Promise.all(names.filter((name) => !isShell(name)).map((name) => caches.delete(name)))
}

/** Loaded only now: most pages never need it. */
async function leavePush(): Promise<void> {
  const push = await import('@/pwa/push-subscription')
  try {
    await push.leavePush()
  } catch (error) {
    // The browser kept the address; the server has forgotten it with the session, so nothing is sent to it.
    if (!(error instanceof DOMException)) throw error
  }
}

/** Deletes what the app keeps on this device about the signed-in user's org. */
export async function wipe(owner = deviceStore.owner()): Promise<void> {
  forgetErrors()
  await deviceStore.close()
  await storeKeys.drop()
  await deviceStore.forget()
  await deleteDatabases(owner)
  await deleteCaches()
  await markIcon(0)
  await leavePush()
  sessionStorage.clear()
}
