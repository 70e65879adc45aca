// Encryption at rest: AES-256-GCM with a fresh IV per record.

export type EncryptedData = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }

const NAME = 'AES-GCM'
const IV_BYTES = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Web Crypto requires TLS; without it nothing is stored. */
export const canEncrypt = (): boolean => globalThis.crypto?.subtle !== undefined

export const isEncrypted = (value: unknown): value is EncryptedData =>
  typeof value === 'object' && value !== null && 'iv' in value && 'data' in value

/** Non-extractable key. */
export function importKey(base64: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0)
  return crypto.subtle.importKey('raw', bytes, NAME, false, ['encrypt', 'decrypt'])
}

/** `context` is authenticated: a record decrypts in its own place only. */
export async function encryptBytes(
  key: CryptoKey,
  context: string,
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>,
): Promise<EncryptedData> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  return {
    iv,
    data: await crypto.subtle.encrypt({ name: NAME, iv, additionalData: encoder.encode(context) }, key, bytes),
  }
}

/** Undefined for a wrong key or altered data. */
export async function decryptBytes(
  key: CryptoKey,
  context: string,
  { iv, data }: EncryptedData,
): Promise<ArrayBuffer | undefined> {
  try {
    return await crypto.subtle.decrypt({ name: NAME, iv, additionalData: encoder.encode(context) }, key, data)
  } catch (error) {
    if (error instanceof Error && error.name === 'OperationError') return undefined
    throw error
  }
}

export const encryptText = (key: CryptoKey, context: string, text: string): Promise<EncryptedData> =>
  encryptBytes(key, context, encoder.encode(text))

export async function decryptText(key: CryptoKey, context: string, sealed: EncryptedData): Promise<string | undefined> {
  const bytes = await decryptBytes(key, context, sealed)
  return bytes === undefined ? undefined : decoder.decode(bytes)
}
