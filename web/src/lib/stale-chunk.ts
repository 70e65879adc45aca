// After a deploy an open page may ask for a file that is gone: one reload, into the new version, brings it.
import { inDemo } from './demo'
import { readText, writeText } from './storage'

const KEY = 'toolbox.reloaded-for-chunk'
/** A file that still lacks after a reload this short ago is broken, and another reload would not mend it. */
const NOT_AGAIN_MS = 60_000
/** Longer than a worker that waits takes to come in; the reload then goes without it. */
const PATIENCE_MS = 5000

/** True for a script that could not be fetched. */
export function hasChunkFailed(error: Error): boolean {
  return /dynamically imported module|Importing a module script failed|error loading dynamically|Unable to preload/i.test(
    error.message,
  )
}

/** The worker in charge hands out the files of its own version, whatever is asked for: the next one takes over first. The demonstration has its from the server. */
async function letNewVersionIn(): Promise<void> {
  if (inDemo()) return
  const registration = await navigator.serviceWorker?.getRegistration()
  const waiting = registration?.waiting
  if (!waiting) return
  await new Promise<void>((done) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => done(), { once: true })
    setTimeout(done, PATIENCE_MS)
    waiting.postMessage({ type: 'SKIP_WAITING' }, [])
  })
}

/** Reloads, but never twice in a row; false when it already has. */
export function reloadOnceForNewVersion(reload = () => globalThis.location.reload()): boolean {
  if (!navigator.onLine || Date.now() - Number(readText(sessionStorage, KEY) ?? 0) < NOT_AGAIN_MS) return false
  // Without the mark a broken file would mean endless reloading.
  if (!writeText(sessionStorage, KEY, String(Date.now()))) return false
  void letNewVersionIn().finally(reload)
  return true
}
