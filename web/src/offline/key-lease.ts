// Lease of the store keys while a page is open: renewed on contact, page closed on expiry.
import { sessionExpired } from '@/api/session-expired'
import { deviceStore } from './device-store'
import { storeKeys, StoreLockedError } from './store-keys'

const CHECK_INTERVAL_MS = 30_000
/** Limits requests on an unstable network. */
const MIN_RENEW_INTERVAL_MS = 60_000
const RENEW_INTERVAL_MS = 15 * 60_000
/** Hidden time that ends a lease of 0. */
const MAX_HIDDEN_MS = 5 * 60_000

const isPageVisible = () => document.visibilityState === 'visible'

/** Hides the page while the lease is checked. */
function setPageHidden(isCovered: boolean): void {
  document.body.style.visibility = isCovered ? 'hidden' : ''
}

/** Clears the page's memory. */
export type ClosePage = () => void

/** Returns the stop function. `onRenewed` runs when the store is readable again. */
export function startKeyLease(owner: string, onRenewed: () => void, close: ClosePage): () => void {
  let hiddenAt = isPageVisible() ? undefined : Date.now()
  let isEnded = false

  const isOver = (): boolean =>
    storeKeys.isOver() ||
    (storeKeys.isForSightOnly() && hiddenAt !== undefined && Date.now() - hiddenAt >= MAX_HIDDEN_MS)

  const renew = async (): Promise<void> => {
    const wasOver = isOver()
    if (wasOver) setPageHidden(true)
    try {
      await storeKeys.renew(owner)
      if (!isEnded) onRenewed()
    } catch (error) {
      if (!(error instanceof StoreLockedError)) throw error
      if (error.why === 'signed-out') {
        await deviceStore.forget()
        sessionExpired.report()
      }
      // Another user signed in on this device.
      if ((wasOver || error.why === 'other') && !isEnded) {
        await storeKeys.delete()
        close()
        return
      }
    }
    setPageHidden(false)
  }

  const look = async (): Promise<void> => {
    // The next sign-in fetches the keys.
    if (sessionExpired.current()) return
    const isDue = Date.now() - storeKeys.renewedAt() >= RENEW_INTERVAL_MS
    if (isOver() || (isDue && navigator.onLine)) await renew()
    if (isPageVisible()) hiddenAt = undefined
  }

  const onSight = () => {
    if (isPageVisible()) void look()
    else hiddenAt ??= Date.now()
  }
  const onOnline = () => {
    if (Date.now() - storeKeys.renewedAt() >= MIN_RENEW_INTERVAL_MS) void renew()
  }

  void look()
  const clock = setInterval(() => void look(), CHECK_INTERVAL_MS)
  globalThis.addEventListener('online', onOnline)
  document.addEventListener('visibilitychange', onSight)
  return () => {
    isEnded = true
    clearInterval(clock)
    globalThis.removeEventListener('online', onOnline)
    document.removeEventListener('visibilitychange', onSight)
    setPageHidden(false)
  }
}
