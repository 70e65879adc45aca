// Encryption of what stays on the device: AES-256-GCM, a fresh IV for each record.

/** What lies on the device. */
export type Sealed = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }

const NAME = 'AES-GCM'
const IV_BYTES = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Without a secure address browsers have no encryption: nothing is kept then. */
export const canSeal = (): boolean => globalThis.crypto?.subtle !== undefined

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && 'iv' in value && 'data' in value

/** A key that the browser uses and nobody reads out again. */
export function toKey(base64: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0)
  return crypto.subtle.importKey('raw', bytes, NAME, false, ['encrypt', 'decrypt'])
}

/** `about` says what it is and whose: it opens as nothing else. */
export async function seal(
  key: CryptoKey,
  about: string,
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>,
): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  return {
    iv,
    data: await crypto.subtle.encrypt({ name: NAME, iv, additionalData: encoder.encode(about) }, key, bytes),
  }
}

/** Undefined where it was sealed with another key, or altered. */
export async function open(key: CryptoKey, about: string, { iv, data }: Sealed): Promise<ArrayBuffer | undefined> {
  try {
    return await crypto.subtle.decrypt({ name: NAME, iv, additionalData: encoder.encode(about) }, key, data)
  } catch (error) {
    if (error instanceof Error && error.name === 'OperationError') return undefined
    throw error
  }
}

export const sealText = (key: CryptoKey, about: string, text: string): Promise<Sealed> =>
  seal(key, about, encoder.encode(text))

export async function openText(key: CryptoKey, about: string, sealed: Sealed): Promise<string | undefined> {
  const bytes = await open(key, about, sealed)
  return bytes === undefined ? undefined : decoder.decode(bytes)
}
