// Chunk load failures after a deploy: one reload into the new version.
import { isDemoMode } from './demo'
import { readText, writeText } from './storage'

const STORAGE_KEY = 'toolbox.reloaded-for-chunk'
/** A failure soon after a reload is not repaired by another one. */
const MIN_RELOAD_INTERVAL_MS = 60_000
const MAX_WAIT_MS = 5000

/** The active worker serves its own version: the waiting one takes over first. */
async function activateWaitingWorker(): Promise<void> {
  if (isDemoMode()) return
  const registration = await navigator.serviceWorker?.getRegistration()
  const waiting = registration?.waiting
  if (!waiting) return
  await new Promise<void>((done) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => done(), { once: true })
    setTimeout(done, MAX_WAIT_MS)
    waiting.postMessage({ type: 'SKIP_WAITING' }, [])
  })
}

/** Without a worker of its own and without a server, a reload ends at an error page of the browser. */
async function canLoad(): Promise<boolean> {
  if (navigator.serviceWorker?.controller) return true
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(MAX_WAIT_MS) })
    return ok
  } catch {
    return false
  }
}

async function reloadIfPossible(reload: () => void): Promise<void> {
  await activateWaitingWorker().catch(() => undefined)
  if (await canLoad()) reload()
  else writeText(sessionStorage, STORAGE_KEY, '0')
}

/** False after a recent reload. The page stays where the server does not answer. */
export function reloadOnceForNewVersion(reload = () => globalThis.location.reload()): boolean {
  if (!navigator.onLine || Date.now() - Number(readText(sessionStorage, STORAGE_KEY) ?? 0) < MIN_RELOAD_INTERVAL_MS)
    return false
  // Without the mark reloads could repeat endlessly.
  if (!writeText(sessionStorage, STORAGE_KEY, String(Date.now()))) return false
  void reloadIfPossible(reload)
  return true
}
