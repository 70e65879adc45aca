// Where pages of the public site stand that forms lead to. The server draws them: they are loaded by plain links.

/** A page that each business has as its own: of the one with this slug, or of all that are served from this install. */
const pageOf = (path: string, org?: string): string => (org ? `${path}?org=${encodeURIComponent(org)}` : path)

/** What is kept of whom, and for what. */
export const privacyPath = (org?: string): string => pageOf('/privacy', org)

/** What texts are about, and how to stop them. */
export const messagingTermsPath = (org?: string): string => pageOf('/sms-terms', org)
