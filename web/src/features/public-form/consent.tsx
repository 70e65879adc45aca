// Consent text; the server stores its version with the request.
import type { Schema } from '@/api/client'
import { messagingTermsPath, privacyPath } from '@/lib/site'

/** Shown until the server's own wording is there; nothing can be sent before that. */
const CONSENT_FALLBACK =
  'By submitting this form, you agree to receive communications about your request. Reply STOP to opt out.'

/** In a tab of its own: photos that were chosen would not survive leaving the form. */
function NewTabLink({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="text-link inline-flex min-h-11 items-center">
      {children}
      <span className="sr-only"> (new tab)</span>
    </a>
  )
}

export function ConsentText({ context }: { context: Schema['FormContext'] | undefined }) {
  return (
    <div className="text-caption text-muted">
      <p>{context?.consentText ?? CONSENT_FALLBACK}</p>
      <p className="flex flex-wrap gap-x-4">
        <NewTabLink href={messagingTermsPath(context?.orgSlug)}>Messaging terms</NewTabLink>
        <NewTabLink href={privacyPath(context?.orgSlug)}>Privacy</NewTabLink>
      </p>
    </div>
  )
}
