// Browser storage with failures ignored.
import { isDemoMode } from './demo'

/** Keys shared with the demonstration; all others are hidden from it. */
const DEMO_KEYS = new Set(['toolbox.theme', 'toolbox.solid', 'toolbox.reloaded-for-chunk'])

function tryStorage<T>(key: string, action: () => T, otherwise: T): T {
  if (isDemoMode() && !DEMO_KEYS.has(key)) return otherwise
  try {
    return action()
  } catch (refused) {
    // Thrown by private mode and full storage.
    if (refused instanceof DOMException || refused instanceof SyntaxError) return otherwise
    throw refused
  }
}

/** Undefined where missing or invalid. */
export function readJson(area: Storage, key: string): unknown {
  return tryStorage(
    key,
    () => {
      const text = area.getItem(key)
      return text === null ? undefined : (JSON.parse(text) as unknown)
    },
    undefined,
  )
}

/** False where the browser refuses. */
export function writeJson(area: Storage, key: string, value: unknown): boolean {
  return tryStorage(
    key,
    () => {
      area.setItem(key, JSON.stringify(value))
      return true
    },
    false,
  )
}

export function readText(area: Storage, key: string): string | null {
  return tryStorage(key, () => area.getItem(key), null)
}

/** False where the browser refuses. */
export function writeText(area: Storage, key: string, value: string): boolean {
  return tryStorage(
    key,
    () => {
      area.setItem(key, value)
      return true
    },
    false,
  )
}

export function removeItem(area: Storage, key: string): void {
  tryStorage(key, () => area.removeItem(key), undefined)
}
