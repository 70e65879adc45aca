// Idempotency key of a form: stable for the same content.
import { readJson, removeItem, writeJson } from './storage'

type KeptKey = { key: string; content: string }

const toStorageKey = (form: string) => `toolbox.submission.${form}`

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

/** UUID, also without TLS where `crypto.randomUUID` is missing. */
export function createKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, index) => {
    const value = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte
    return value.toString(16).padStart(2, '0')
  }).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Content hash, so that input is not stored: FNV-1a, twice 32 bits. */
function hashText(text: string): string {
  let [one, two] = [0x81_1c_9d_c5, 0x01_00_01_93]
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    one = Math.imul(one ^ code, 0x01_00_01_93)
    two = Math.imul(two ^ code, 0x85_eb_ca_6b)
  }
  return `${text.length}.${one >>> 0}.${two >>> 0}`
}

export function getSubmissionKey(form: string, content: unknown): string {
  const mark = hashText(JSON.stringify(content))
  const stored = readJson(sessionStorage, toStorageKey(form))
  if (isKeptKey(stored) && stored.content === mark) return stored.key
  const key = createKey()
  writeJson(sessionStorage, toStorageKey(form), { key, content: mark } satisfies KeptKey)
  return key
}

/** The next submission is new even with the same content. */
export function clearSubmissionKey(form: string): void {
  removeItem(sessionStorage, toStorageKey(form))
}
