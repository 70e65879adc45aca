// Deletion of customer data on the device at logout.
import { setBadgeCount } from '@/pwa/app-badge'
import { stopErrorLog } from '@/ui/toast/error-log'
import { deviceStore } from './device-store'
import { isOutboxDatabase, getOutboxName } from './outbox/outbox-store'
import { KEYS_DATABASE, storeKeys } from './store-keys'
import { TEXT_CACHE } from './text-cache'

/** The app shell and its texts hold no data and are needed offline. */
const holdsNoData = (name: string) => name.includes('precache') || name === TEXT_CACHE

/** Other users' unsent work stays encrypted, with the browser id that returns its key. */
const belongsToOtherUser = (name: string, owner: string | undefined) =>
  name === KEYS_DATABASE || (isOutboxDatabase(name) && owner !== undefined && name !== getOutboxName(owner))

async function deleteDatabases(owner: string | undefined): Promise<void> {
  // Missing in older browsers.
  const databases = (await globalThis.indexedDB.databases?.()) ?? []
  // Not awaited: a database open elsewhere is deleted when that page closes.
  for (const { name } of databases) if (name && !belongsToOtherUser(name, owner)) indexedDB.deleteDatabase(name)
}

async function deleteCaches(): Promise<void> {
  // The Cache API requires TLS.
  if (!('caches' in globalThis)) return
  const names = await caches.keys()
  await Promise.all(names.filter((name) => !holdsNoData(name)).map((name) => caches.delete(name)))
}

/** Lazy: rarely needed. */
async function removePush(): Promise<void> {
  const push = await import('@/pwa/push-subscription')
  try {
    await push.removePush()
  } catch (error) {
    // The server has dropped the address with the session.
    if (!(error instanceof DOMException)) throw error
  }
}

export async function wipeDevice(owner = deviceStore.owner()): Promise<void> {
  stopErrorLog()
  await deviceStore.close()
  await storeKeys.delete()
  await deviceStore.forget()
  await deleteDatabases(owner)
  await deleteCaches()
  await setBadgeCount(0)
  await removePush()
  sessionStorage.clear()
}
