/// <reference lib="webworker" />
// Service worker: the shell is precached, so that the app starts without a network. Data is never kept here: a cache
// by address would show one user's leads to the next. What is shown offline comes from the page's own store.
import { clientsClaim } from 'workbox-core'
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { handlePush } from './push'
import { handleSync } from './sync'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] }

/** Addresses of the server itself, the demonstration, and the page of the first payment, whose own content policy lets Stripe's form in: both are of use only with a connection and come from the server. */
const NOT_THE_APP = [/^\/api\//, /^\/webhooks\//, /^\/healthz/, /^\/readyz/, /^\/metrics/, /^\/p\//, /^\/f\//, /^\/r\//, /^\/book\//, /^\/demo(?:[/?]|$)/, /^\/checkout(?:[/?]|$)/]

precacheAndRoute(self.__WB_MANIFEST)
cleanupOutdatedCaches()
clientsClaim()
registerRoute(new NavigationRoute(createHandlerBoundToURL('/index.html'), { denylist: NOT_THE_APP }))

handlePush(self)
handleSync(self)

// A new version waits until the person says so: a reload could eat a half-typed form.
self.addEventListener('message', (event) => {
  const data: unknown = event.data
  if (typeof data === 'object' && data !== null && 'type' in data && data.type === 'SKIP_WAITING') void self.skipWaiting()
})
