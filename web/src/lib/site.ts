// Pages of the public site, rendered by the server: plain links.

/** Page of one business by slug, or of the install. */
const toSitePath = (path: string, org?: string): string => (org ? `${path}?org=${encodeURIComponent(org)}` : path)

export const privacyPath = (org?: string): string => toSitePath('/privacy', org)

export const messagingTermsPath = (org?: string): string => toSitePath('/sms-terms', org)
