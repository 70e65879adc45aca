// Browser storage that may be forbidden or full: a draft or a preference is lost then, never the page.

function attempt<T>(action: () => T, otherwise: T): T {
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
  return attempt(() => {
    const text = area.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as unknown)
  }, undefined)
}

/** Keeps JSON under the key; false where the browser refuses. */
export function writeJson(area: Storage, key: string, value: unknown): boolean {
  return attempt(() => {
    area.setItem(key, JSON.stringify(value))
    return true
  }, false)
}

/** Reads text kept under the key. */
export function readText(area: Storage, key: string): string | null {
  return attempt(() => area.getItem(key), null)
}

/** Keeps text under the key; false where the browser refuses. */
export function writeText(area: Storage, key: string, value: string): boolean {
  return attempt(() => {
    area.setItem(key, value)
    return true
  }, false)
}

/** Forgets the key. */
export function remove(area: Storage, key: string): void {
  attempt(() => area.removeItem(key), undefined)
}
