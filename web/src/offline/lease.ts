// The lease of the offline store's keys while a page is open: renewed with each contact, and the page closed when it is over.
import { sessionExpired } from '@/api/session-expired'
import { deviceStore } from './device-store'
import { storeKeys, StoreLocked } from './store-keys'

const LOOK_EVERY_MS = 30_000
/** A network that comes and goes is not asked each time. */
const NOT_AGAIN_MS = 60_000
const RENEW_EVERY_MS = 15 * 60_000
/** With a lease of 0: out of sight for so long, as with the screen locked, ends it. */
const OUT_OF_SIGHT_MS = 5 * 60_000

const isInSight = () => document.visibilityState === 'visible'

/** Nothing is seen while it is asked whether anything may be. */
function cover(isCovered: boolean): void {
  document.body.style.visibility = isCovered ? 'hidden' : ''
}

/** Takes everything out of this page's memory. */
export type Close = () => void

/** Keeps the lease until the function it gives is called. `onRenewed` hears that the store is open again. */
export function keepLease(owner: string, onRenewed: () => void, close: Close): () => void {
  let hiddenAt = isInSight() ? undefined : Date.now()
  let isEnded = false

  const isOver = (): boolean =>
    storeKeys.isOver() ||
    (storeKeys.isForSightOnly() && hiddenAt !== undefined && Date.now() - hiddenAt >= OUT_OF_SIGHT_MS)

  const renew = async (): Promise<void> => {
    const wasOver = isOver()
    if (wasOver) cover(true)
    try {
      await storeKeys.renew(owner)
      if (!isEnded) onRenewed()
    } catch (error) {
      if (!(error instanceof StoreLocked)) throw error
      if (error.why === 'signed-out') {
        await deviceStore.forget()
        sessionExpired.report()
      }
      // Somebody else signed in here: this page is not theirs.
      if ((wasOver || error.why === 'other') && !isEnded) {
        await storeKeys.drop()
        close()
        return
      }
    }
    cover(false)
  }

  const look = async (): Promise<void> => {
    // Whoever signs in again gets them then.
    if (sessionExpired.current()) return
    const isDue = Date.now() - storeKeys.renewedAt() >= RENEW_EVERY_MS
    if (isOver() || (isDue && navigator.onLine)) await renew()
    if (isInSight()) hiddenAt = undefined
  }

  const onSight = () => {
    if (isInSight()) void look()
    else hiddenAt ??= Date.now()
  }
  const onOnline = () => {
    if (Date.now() - storeKeys.renewedAt() >= NOT_AGAIN_MS) void renew()
  }

  void look()
  const clock = setInterval(() => void look(), LOOK_EVERY_MS)
  globalThis.addEventListener('online', onOnline)
  document.addEventListener('visibilitychange', onSight)
  return () => {
    isEnded = true
    clearInterval(clock)
    globalThis.removeEventListener('online', onOnline)
    document.removeEventListener('visibilitychange', onSight)
    cover(false)
  }
}
