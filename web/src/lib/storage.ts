// Browser storage that may be forbidden or full: a draft or a preference is lost then, never the page.
import { inDemo } from './demo'

/** How a page looks, and that it was just loaded anew. All else here is the own business's: the demonstration neither reads nor writes it. */
const ALSO_IN_DEMO = new Set(['toolbox.theme', 'toolbox.solid', 'toolbox.reloaded-for-chunk'])

function attempt<T>(key: string, action: () => T, otherwise: T): T {
  if (inDemo() && !ALSO_IN_DEMO.has(key)) return otherwise
  try {
    return action()
  } catch (refused) {
    // Private mode and full storage throw; what is kept here is a comfort, so the app goes on without it.
    if (refused instanceof DOMException || refused instanceof SyntaxError) return otherwise
    throw refused
  }
}

/** Reads JSON kept under the key; undefined where there is none or it cannot be read. */
export function readJson(area: Storage, key: string): unknown {
  return attempt(
    key,
    () => {
      const text = area.getItem(key)
      return text === null ? undefined : (JSON.parse(text) as unknown)
    },
    undefined,
  )
}

/** Keeps JSON under the key; false where the browser refuses. */
export function writeJson(area: Storage, key: string, value: unknown): boolean {
  return attempt(
    key,
    () => {
      area.setItem(key, JSON.stringify(value))
      return true
    },
    false,
  )
}

/** Reads text kept under the key. */
export function readText(area: Storage, key: string): string | null {
  return attempt(key, () => area.getItem(key), null)
}

/** Keeps text under the key; false where the browser refuses. */
export function writeText(area: Storage, key: string, value: string): boolean {
  return attempt(
    key,
    () => {
      area.setItem(key, value)
      return true
    },
    false,
  )
}

/** Forgets the key. */
export function remove(area: Storage, key: string): void {
  attempt(key, () => area.removeItem(key), undefined)
}
