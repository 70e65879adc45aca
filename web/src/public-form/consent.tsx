// What sending the form means, under the button. The server's wording counts; its version is stored with the request.
import type { Schema } from '@/api/client'

/** Shown until the server's own wording is there; nothing can be sent before that. */
const CONSENT_FALLBACK = 'By submitting this form, you agree to receive communications about your request. Reply STOP to opt out.'

export function ConsentText({ context }: { context: Schema['FormContext'] | undefined }) {
  return <p className="text-caption text-muted">{context?.consentText ?? CONSENT_FALLBACK}</p>
}
