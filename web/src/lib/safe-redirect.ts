// Redirect targets after sign-in: same-site paths only.

/** Control characters, escaped once or more. */
const ESCAPED_CONTROL = /%(?:25)*(?:[01][\da-f]|7f)/i

/** Browsers treat a backslash as a slash and drop control characters. */
function hasTrickCharacter(value: string): boolean {
  return Array.from(value).some((character) => character === '\\' || character < ' ' || character === '\u007f')
}

/** Repeated decoding; null for invalid escapes. */
function decodeFully(value: string): string | null {
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

export function getSafeRedirect(target: string | null | undefined, fallback: string): string {
  if (!target?.startsWith('/') || target.length > 2000) return fallback
  const [path = ''] = target.split(/[?#]/, 1)
  const decoded = decodeFully(path)
  if (decoded === null || hasTrickCharacter(decoded) || hasTrickCharacter(target) || ESCAPED_CONTROL.test(target))
    return fallback
  if (decoded.startsWith('//') || decoded.includes('@')) return fallback
  const base = 'https://self.invalid'
  const url = new URL(target, base)
  // Checked again after resolution: `/app/%2e%2e/%2fevil`.
  const resolved = decodeFully(url.pathname)
  if (url.origin !== base || !resolved || resolved.startsWith('//') || resolved.startsWith('/api/')) return fallback
  return `${url.pathname}${url.search}${url.hash}`
}
