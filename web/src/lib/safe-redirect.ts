// Where a person may be sent after signing in: a path of this site and nothing else.

/** A line break or the like, escaped once or more often. */
const ESCAPED_CONTROL = /%(?:25)*(?:[01][\da-f]|7f)/i

/** Browsers read a backslash as a slash and drop control characters: both can hide another site's name. */
function hasTrickCharacter(value: string): boolean {
  return Array.from(value).some((character) => character === '\\' || character < ' ' || character === '\u007f')
}

/** Decodes until nothing changes, so that a doubly encoded trick is seen too; null for broken escapes. */
function fullyDecoded(value: string): string | null {
  let current = value
  for (let round = 0; round < 5; round += 1) {
    let next: string
    try {
      next = decodeURIComponent(current)
    } catch {
      return null
    }
    if (next === current) return current
    current = next
  }
  return null
}

/** The path itself when it is safe, else `fallback`. */
export function safeRedirect(target: string | null | undefined, fallback: string): string {
  if (!target?.startsWith('/') || target.length > 2000) return fallback
  const [path = ''] = target.split(/[?#]/, 1)
  const decoded = fullyDecoded(path)
  if (decoded === null || hasTrickCharacter(decoded) || hasTrickCharacter(target) || ESCAPED_CONTROL.test(target))
    return fallback
  if (decoded.startsWith('//') || decoded.includes('@')) return fallback
  const base = 'https://self.invalid'
  const url = new URL(target, base)
  // Looked at once more as it was resolved: `/app/%2e%2e/%2fevil` hides its slashes until then.
  const resolved = fullyDecoded(url.pathname)
  if (url.origin !== base || !resolved || resolved.startsWith('//') || resolved.startsWith('/api/')) return fallback
  return `${url.pathname}${url.search}${url.hash}`
}
