// After a deploy an open page may ask for a file that is gone: one reload brings the new version.
import { readText, remove, writeText } from '@/lib/storage'

const KEY = 'toolbox.reloaded-for-chunk'

/** True for a script that could not be fetched. */
export function hasChunkFailed(error: Error): boolean {
  return /dynamically imported module|Importing a module script failed|error loading dynamically|Unable to preload/i.test(error.message)
}

/** Reloads, but never twice in a row; false when it already has. */
export function reloadOnceForNewVersion(): boolean {
  if (!navigator.onLine || readText(sessionStorage, KEY) !== null) return false
  // Without the mark a broken file would mean endless reloading.
  if (!writeText(sessionStorage, KEY, '1')) return false
  globalThis.location.reload()
  return true
}

/** Called once a screen has loaded: the next failure may reload again. */
export function forgetReload(): void {
  remove(sessionStorage, KEY)
}
