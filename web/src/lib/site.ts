// Where pages of the public site stand that forms lead to. The server draws them: they are loaded by plain links.
export const PRIVACY_PATH = '/privacy'

/** What texts are about and how to stop them: of one business, by its slug, or of all that text from this install. */
export const messagingTermsPath = (org?: string): string => (org ? `/sms-terms?org=${encodeURIComponent(org)}` : '/sms-terms')
