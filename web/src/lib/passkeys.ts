// WebAuthn: conversion between server JSON (base64url) and `navigator.credentials`.
type Json = Record<string, unknown>

const toBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.codePointAt(0) ?? 0)
}

const toBase64Url = (bytes: ArrayBuffer): string =>
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

/** WebAuthn requires a host name, not an IP address. */
export const supportsPasskeys = () =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|^\[/.test(window.location.hostname)

/** Conditional mediation of the email field. */
export async function supportsPasskeyAutofill(): Promise<boolean> {
  if (!supportsPasskeys() || typeof PublicKeyCredential.isConditionalMediationAvailable !== 'function') return false
  return PublicKeyCredential.isConditionalMediationAvailable().catch(() => false)
}

/** Dialog closed or timed out. */
export const isCancelled = (error: unknown) =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')

export const isAlreadyRegistered = (error: unknown) =>
  error instanceof DOMException && error.name === 'InvalidStateError'

/** Returns `RegistrationResponseJSON`. */
export async function createPasskey(requestOptions: unknown): Promise<Json> {
  const options = requestOptions as Json & { user: Json & { id: string }; challenge: string }
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
    rawId: toBase64Url(made.rawId),
    type: made.type,
    response: { attestationObject: toBase64Url(attestationObject), clientDataJSON: toBase64Url(clientDataJSON) },
    clientExtensionResults: {},
  }
}

/** Returns `AuthenticationResponseJSON`. */
export async function getPasskey(
  requestOptions: unknown,
  request: { signal?: AbortSignal; mediation?: CredentialMediationRequirement } = {},
): Promise<Json> {
  const { extensions: _unused, ...options } = requestOptions as Json & { challenge: string }
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: descriptors(options.allowCredentials),
  }
  const used = (await navigator.credentials.get({ publicKey, ...request })) as PublicKeyCredential
  const { authenticatorData, clientDataJSON, signature, userHandle } = used.response as AuthenticatorAssertionResponse
  return {
    id: used.id,
    rawId: toBase64Url(used.rawId),
    type: used.type,
    response: {
      authenticatorData: toBase64Url(authenticatorData),
      clientDataJSON: toBase64Url(clientDataJSON),
      signature: toBase64Url(signature),
      userHandle: userHandle ? toBase64Url(userHandle) : null,
    },
    clientExtensionResults: {},
  }
}
