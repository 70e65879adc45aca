// Which addresses the service worker answers with the app, and which it leaves to the server.

/** Addresses of the server itself, its public site, and the demonstration, which is of use only with a connection. */
export const NOT_THE_APP = [
  /^\/api\//, /^\/webhooks\//, /^\/healthz/, /^\/readyz/, /^\/metrics/, /^\/p\//, /^\/f\//, /^\/r\//, /^\/book\//,
  /^\/demo(?:[/?]|$)/, /^\/(?:faq|privacy|terms|sms-terms|robots\.txt|sitemap\.xml)(?:\?|$)/,
]

/** The site for visitors, or the app for who is signed in. */
export const FRONT = /^\/(?:\?|$)/
