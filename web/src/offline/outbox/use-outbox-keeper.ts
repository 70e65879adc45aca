// Keeps the outbox going while a page is open: it is sent at the start, when the network or the person comes back, and now and then.
import { useEffect, useSyncExternalStore } from 'react'
import { sessionExpired } from '@/api/session-expired'
import { NEWS } from './names'
import { outbox } from './outbox'

const LOOK_EVERY_MS = 5000

/** Sends what waits; where the session has ended the page asks to sign in again. */
export async function sendNow(): Promise<void> {
  if (outbox.current().length > 0 && (await outbox.send()) === 'signed-out') sessionExpired.report()
}

/** Looks at what the device holds, and sends it. */
async function look(find: () => Promise<void>): Promise<void> {
  try {
    await find()
  } catch (error) {
    // The device forbids databases: whoever does something on site is told then.
    if (error instanceof DOMException) return
    throw error
  }
  await sendNow()
}

const onSight = () => {
  // Another tab may have added to it.
  if (document.visibilityState === 'visible') void look(outbox.reload)
}

const onClock = () => {
  if (document.visibilityState === 'visible' && navigator.onLine) void outbox.sendIfDue()
}

/** Sends what waits, whenever there is a chance. `onNews` hears that another tab or the service worker has sent something. */
export function useOutboxKeeper(owner: string, onNews: () => void): void {
  const hasExpired = useSyncExternalStore(sessionExpired.subscribe, sessionExpired.current)

  useEffect(() => {
    if (!hasExpired) void look(() => outbox.open(owner))
  }, [owner, hasExpired])

  useEffect(() => {
    const clock = setInterval(onClock, LOOK_EVERY_MS)
    const onOnline = () => void sendNow()
    globalThis.addEventListener('online', onOnline)
    document.addEventListener('visibilitychange', onSight)
    return () => {
      clearInterval(clock)
      globalThis.removeEventListener('online', onOnline)
      document.removeEventListener('visibilitychange', onSight)
    }
  }, [])

  useEffect(() => {
    if (typeof BroadcastChannel === 'undefined') return
    const channel = new BroadcastChannel(NEWS)
    channel.addEventListener('message', () => {
      void outbox.reload()
      onNews()
    })
    return () => channel.close()
  }, [onNews])
}
