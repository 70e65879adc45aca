// Which addresses the service worker answers with the app, and which it leaves to the server.

/**
 * Addresses of the server itself, its public site, the demonstration, and the page of the first payment, whose own content
 * policy lets Stripe's form in: the last two are of use only with a connection.
 */
export const NOT_THE_APP = [
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

/** The site for visitors, or the app for who is signed in. */
export const FRONT = /^\/(?:\?|$)/
