// Outbox sync while a page is open: at start, online, visible, and by interval.
import { useEffect, useSyncExternalStore } from 'react'
import { sessionExpired } from '@/api/session-expired'
import { OUTBOX_CHANNEL } from './names'
import { outbox } from './outbox'

const CHECK_INTERVAL_MS = 5000

/** Asks to sign in when the session has ended. */
export async function sendOutboxNow(): Promise<void> {
  if (outbox.current().length > 0 && (await outbox.send()) === 'signed-out') sessionExpired.report()
}

async function refreshAndSend(find: () => Promise<void>): Promise<void> {
  try {
    await find()
  } catch (error) {
    // IndexedDB forbidden; adding an entry reports it.
    if (error instanceof DOMException) return
    throw error
  }
  await sendOutboxNow()
}

const onVisible = () => {
  // Another tab may have added entries.
  if (document.visibilityState === 'visible') void refreshAndSend(outbox.reload)
}

const onInterval = () => {
  if (document.visibilityState === 'visible' && navigator.onLine) void outbox.sendIfDue()
}

/** `onNews` runs when another tab or the service worker has sent entries. */
export function useOutboxSync(owner: string, onNews: () => void): void {
  const hasExpired = useSyncExternalStore(sessionExpired.subscribe, sessionExpired.current)

  useEffect(() => {
    if (!hasExpired) void refreshAndSend(() => outbox.open(owner))
  }, [owner, hasExpired])

  useEffect(() => {
    const clock = setInterval(onInterval, CHECK_INTERVAL_MS)
    const onOnline = () => void sendOutboxNow()
    globalThis.addEventListener('online', onOnline)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearInterval(clock)
      globalThis.removeEventListener('online', onOnline)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [])

  useEffect(() => {
    if (typeof BroadcastChannel === 'undefined') return
    const channel = new BroadcastChannel(OUTBOX_CHANNEL)
    channel.addEventListener('message', () => {
      void outbox.reload()
      onNews()
    })
    return () => channel.close()
  }, [onNews])
}
