// The Idempotency-Key of a draft: the same content sent twice is one request, changed content is another.
import { readJson, remove, writeJson } from './storage'

type KeptKey = { key: string; content: string }

const nameOf = (form: string) => `toolbox.submission.${form}`

function isKeptKey(value: unknown): value is KeptKey {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    'content' in value &&
    typeof value.key === 'string' &&
    typeof value.content === 'string'
  )
}

/** A UUID; also where the page is served without TLS and the browser hides its own. */
export function newKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, index) => {
    const value = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte
    return value.toString(16).padStart(2, '0')
  }).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Tells contents apart; what was typed does not lie in the browser's storage. FNV-1a, twice over 32 bits. */
function markOf(text: string): string {
  let [one, two] = [0x81_1c_9d_c5, 0x01_00_01_93]
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    one = Math.imul(one ^ code, 0x01_00_01_93)
    two = Math.imul(two ^ code, 0x85_eb_ca_6b)
  }
  return `${text.length}.${one >>> 0}.${two >>> 0}`
}

/** The key for this content: the one of the last try if nothing changed since, else a new one. */
export function submissionKey(form: string, content: unknown): string {
  const mark = markOf(JSON.stringify(content))
  const kept = readJson(sessionStorage, nameOf(form))
  if (isKeptKey(kept) && kept.content === mark) return kept.key
  const key = newKey()
  writeJson(sessionStorage, nameOf(form), { key, content: mark } satisfies KeptKey)
  return key
}

/** After success the next request is a new one, even with the same words. */
export function clearSubmissionKey(form: string): void {
  remove(sessionStorage, nameOf(form))
}
