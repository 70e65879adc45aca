// User texts for errors: one per code, with the caller's fallback.
import { DEMO_REFUSAL } from '@/lib/demo'
import { plural, t } from '@/lib/i18n'
import { ApiError, type ErrorCode, NetworkError } from './client'

export type ErrorText = { title: string; description: string }

const TEXTS = {
  validation_failed: { title: t('Please check the form'), description: t('Some fields need another look.') },
  bad_request: { title: t('Request not understood'), description: t('The server could not read this request.') },
  unauthenticated: { title: t('Sign in again'), description: t('Your session has ended. Nothing you typed is lost.') },
  invalid_credentials: { title: t('Login failed'), description: t('Invalid email or password') },
  forbidden: {
    title: t('Not allowed'),
    description: t('Your role does not include this. Ask the owner of your account.'),
  },
  csrf_refused: {
    title: t('Request refused'),
    description: t('This request came from another site. Reload the page and try again.'),
  },
  reauthentication_needed: { title: t('Not done'), description: t('Enter your password again to do this.') },
  demo_read_only: { title: 'Not in the demonstration', description: DEMO_REFUSAL },
  subscription_ended: {
    title: t('Your subscription has ended'),
    description: t(
      'Nothing can be changed. You can read and export everything; subscribe again under Billing to go on.',
    ),
  },
  trust_limit: {
    title: t('Not yet'),
    description: t('A new business has limits. Settings, Plan and billing shows what lifts them.'),
  },
  registration_closed: {
    title: t('Registration Failed'),
    description: t('This Toolbox is not open to new businesses.'),
  },
  registration_by_invitation: {
    title: t('Registration Failed'),
    description: t('You need an invitation to register here. Request a demo, and we send you one.'),
  },
  not_found: { title: t('Not found'), description: t('This no longer exists, or never did.') },
  method_not_allowed: { title: t('Request refused'), description: t('The server does not know this action.') },
  conflict: {
    title: t('Changed meanwhile'),
    description: t('Someone else changed this first. Reload to see the latest.'),
  },
  business_not_set_up: {
    title: t('This business is not set up yet'),
    description: t('No business takes requests at this address yet.'),
  },
  idempotency_mismatch: {
    title: t('Already sent'),
    description: t('An earlier version of this was received. Please send it again.'),
  },
  request_timeout: { title: t('Too slow'), description: t('This came too slowly. Please try again.') },
  payload_too_large: {
    title: t('Too large'),
    description: t('The files are too large together. Remove one and try again.'),
  },
  unsupported_media_type: {
    title: t('Wrong kind of file'),
    description: t('The server does not take this kind of file.'),
  },
  photo_rejected: { title: t('A photo was refused'), description: t('Remove the photo named below and send again.') },
  too_many_requests: { title: t('Too many tries'), description: t('Please wait a little and try again.') },
  business_unconfirmed: {
    title: t('Not taken today'),
    description: t('This business has not confirmed its email address yet, and takes no more requests today.'),
  },
  sign_in_held: {
    title: t('Someone is trying passwords'),
    description: t('Sign in with your passkey, or use the link that we can email you.'),
  },
  storage_full: {
    title: t('No room left'),
    description: t('The server has no room for this at the moment. Please try again later.'),
  },
  unavailable: {
    title: t('Not available right now'),
    description: t('The service is down for a moment. Please try again shortly.'),
  },
  internal: { title: t('Something went wrong'), description: t('The fault is on our side. Please try again.') },
} satisfies Record<ErrorCode, ErrorText>

const OFFLINE: ErrorText = {
  title: t('You are offline'),
  description: t('There is no connection right now. Try again when you are back online.'),
}

/** Text for an error; `fallback` applies where the error has no text for users. */
export function describeError(error: unknown, fallback: ErrorText = TEXTS.internal): ErrorText {
  if (error instanceof NetworkError) return OFFLINE
  if (!(error instanceof ApiError) || !error.code) return fallback
  if (error.code === 'internal') return fallback
  const text = TEXTS[error.code]
  if (error.code === 'too_many_requests' && error.retryAfterSeconds) {
    const wait = formatWait(error.retryAfterSeconds)
    return { ...text, description: t('Please wait {wait} and try again.', { wait }) }
  }
  return error.detail ? { ...text, description: error.detail } : text
}

/** True where a retry may help: offline, or server unavailable. */
export function isTemporary(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && (error.status === 503 || error.status === 507))
}

export function formatWait(seconds: number): string {
  if (seconds < 90) return plural(seconds, '1 second', '{count} seconds', { count: Math.ceil(seconds) })
  return t('{count} minutes', { count: Math.ceil(seconds / 60) })
}
