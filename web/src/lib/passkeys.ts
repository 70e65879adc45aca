// Passkeys of the browser: between the JSON that the server speaks (bytes as base64url) and what `navigator.credentials` takes.
type Json = Record<string, unknown>

const toBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.codePointAt(0) ?? 0)
}

const toText = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCodePoint(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

type Descriptor = { id: string; type: 'public-key'; transports?: AuthenticatorTransport[] }
const descriptor = ({ id, type, transports }: Descriptor) => {
  const read = { id: toBytes(id), type }
  return transports ? Object.assign(read, { transports }) : read
}
const descriptors = (list: unknown) => ((list ?? []) as Descriptor[]).map(descriptor)

/** Whether this browser has passkeys for this address: they need a name, not an IP address. */
export const hasPasskeys = () =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|^\[/.test(window.location.hostname)

/** Whether the browser offers passkeys among its suggestions for the email field. */
export async function suggestsPasskeys(): Promise<boolean> {
  if (!hasPasskeys() || typeof PublicKeyCredential.isConditionalMediationAvailable !== 'function') return false
  return PublicKeyCredential.isConditionalMediationAvailable().catch(() => false)
}

/** The person closed the browser's dialog, or let it time out. */
export const isCancelled = (error: unknown) =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')

/** This device has a passkey for the account already. */
export const isThereAlready = (error: unknown) => error instanceof DOMException && error.name === 'InvalidStateError'

/** Makes a passkey: `RegistrationResponseJSON`. */
export async function createPasskey(asked: unknown): Promise<Json> {
  const options = asked as Json & { user: Json & { id: string }; challenge: string }
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  } as unknown as PublicKeyCredentialCreationOptions
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
  const { attestationObject, clientDataJSON } = made.response as AuthenticatorAttestationResponse
  return {
    id: made.id,
    rawId: toText(made.rawId),
    type: made.type,
    response: { attestationObject: toText(attestationObject), clientDataJSON: toText(clientDataJSON) },
    clientExtensionResults: {},
  }
}

/** Uses a passkey: `AuthenticationResponseJSON`. */
export async function getPasskey(
  asked: unknown,
  how: { signal?: AbortSignal; mediation?: CredentialMediationRequirement } = {},
): Promise<Json> {
  const { extensions: _unused, ...options } = asked as Json & { challenge: string }
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: descriptors(options.allowCredentials),
  }
  const used = (await navigator.credentials.get({ publicKey, ...how })) as PublicKeyCredential
  const { authenticatorData, clientDataJSON, signature, userHandle } = used.response as AuthenticatorAssertionResponse
  return {
    id: used.id,
    rawId: toText(used.rawId),
    type: used.type,
    response: {
      authenticatorData: toText(authenticatorData),
      clientDataJSON: toText(clientDataJSON),
      signature: toText(signature),
      userHandle: userHandle ? toText(userHandle) : null,
    },
    clientExtensionResults: {},
  }
}
