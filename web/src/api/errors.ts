// User texts for errors: one per code, with the caller's fallback.
import { DEMO_REFUSAL } from '@/lib/demo'
import { ApiError, type ErrorCode, NetworkError } from './client'

export type ErrorText = { title: string; description: string }

const TEXTS = {
  validation_failed: { title: 'Please check the form', description: 'Some fields need another look.' },
  bad_request: { title: 'Request not understood', description: 'The server could not read this request.' },
  unauthenticated: { title: 'Sign in again', description: 'Your session has ended. Nothing you typed is lost.' },
  invalid_credentials: { title: 'Login failed', description: 'Invalid email or password' },
  forbidden: { title: 'Not allowed', description: 'Your role does not include this. Ask the owner of your account.' },
  csrf_refused: {
    title: 'Request refused',
    description: 'This request came from another site. Reload the page and try again.',
  },
  reauthentication_needed: { title: 'Not done', description: 'Enter your password again to do this.' },
  demo_read_only: { title: 'Not in the demonstration', description: DEMO_REFUSAL },
  subscription_ended: {
    title: 'Your subscription has ended',
    description: 'Nothing can be changed. You can read and export everything; subscribe again under Billing to go on.',
  },
  trust_limit: {
    title: 'Not yet',
    description: 'A new business has limits. Settings, Plan and billing shows what lifts them.',
  },
  registration_closed: { title: 'Registration Failed', description: 'This Toolbox is not open to new businesses.' },
  registration_by_invitation: {
    title: 'Registration Failed',
    description: 'You need an invitation to register here. Request a demo, and we send you one.',
  },
  not_found: { title: 'Not found', description: 'This no longer exists, or never did.' },
  method_not_allowed: { title: 'Request refused', description: 'The server does not know this action.' },
  conflict: { title: 'Changed meanwhile', description: 'Someone else changed this first. Reload to see the latest.' },
  business_not_set_up: {
    title: 'This business is not set up yet',
    description: 'No business takes requests at this address yet.',
  },
  idempotency_mismatch: {
    title: 'Already sent',
    description: 'An earlier version of this was received. Please send it again.',
  },
  request_timeout: { title: 'Too slow', description: 'This came too slowly. Please try again.' },
  payload_too_large: { title: 'Too large', description: 'The files are too large together. Remove one and try again.' },
  unsupported_media_type: { title: 'Wrong kind of file', description: 'The server does not take this kind of file.' },
  photo_rejected: { title: 'A photo was refused', description: 'Remove the photo named below and send again.' },
  too_many_requests: { title: 'Too many tries', description: 'Please wait a little and try again.' },
  business_unconfirmed: {
    title: 'Not taken today',
    description: 'This business has not confirmed its email address yet, and takes no more requests today.',
  },
  sign_in_held: {
    title: 'Someone is trying passwords',
    description: 'Sign in with your passkey, or use the link that we can email you.',
  },
  storage_full: {
    title: 'No room left',
    description: 'The server has no room for this at the moment. Please try again later.',
  },
  unavailable: {
    title: 'Not available right now',
    description: 'The service is down for a moment. Please try again shortly.',
  },
  internal: { title: 'Something went wrong', description: 'The fault is on our side. Please try again.' },
} satisfies Record<ErrorCode, ErrorText>

const OFFLINE: ErrorText = {
  title: 'You are offline',
  description: 'There is no connection right now. Try again when you are back online.',
}

/** Text for an error; `fallback` applies where the error has no text for users. */
export function describeError(error: unknown, fallback: ErrorText = TEXTS.internal): ErrorText {
  if (error instanceof NetworkError) return OFFLINE
  if (!(error instanceof ApiError) || !error.code) return fallback
  if (error.code === 'internal') return fallback
  const text = TEXTS[error.code]
  if (error.code === 'too_many_requests' && error.retryAfterSeconds) {
    return { ...text, description: `Please wait ${formatWait(error.retryAfterSeconds)} and try again.` }
  }
  return error.detail ? { ...text, description: error.detail } : text
}

/** True where a retry may help: offline, or server unavailable. */
export function isTemporary(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && (error.status === 503 || error.status === 507))
}

export function formatWait(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${Math.ceil(seconds)} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
