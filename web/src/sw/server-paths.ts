// Paths answered by the app, and paths left to the server.

/** Server paths, the public site, the demonstration, and the checkout with its own content policy for Stripe. */
export const SERVER_PATHS = [
  /^\/api\//,
  /^\/webhooks\//,
  /^\/healthz/,
  /^\/readyz/,
  /^\/metrics/,
  /^\/p\//,
  /^\/f\//,
  /^\/r\//,
  /^\/book\//,
  /^\/demo(?:[/?]|$)/,
  /^\/checkout(?:[/?]|$)/,
  /^\/(?:faq|privacy|terms|sms-terms|robots\.txt|sitemap\.xml)(?:\?|$)/,
]

export const ROOT_PATH = /^\/(?:\?|$)/
