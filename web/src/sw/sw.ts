/// <reference lib="webworker" />
// Service worker: the shell is precached, so that the app starts without a network. Data is never kept here: a cache
// by address would show one user's leads to the next. What is shown offline comes from the page's own store.
import { clientsClaim, type RouteHandlerCallbackOptions } from 'workbox-core'
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { FRONT, NOT_THE_APP } from './addresses'
import { handlePush } from './push'
import { handleSync } from './sync'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] }

// No file stands for the root: what is there, the server says.
precacheAndRoute(self.__WB_MANIFEST, { directoryIndex: '' })
cleanupOutdatedCaches()
clientsClaim()

const shell = createHandlerBoundToURL('/index.html')

/** The site for visitors or the app for who is signed in: only the server can tell. Without it, the app with what is kept here. */
async function front(options: RouteHandlerCallbackOptions): Promise<Response> {
  try {
    return await fetch(options.request)
  } catch {
    return shell(options)
  }
}

registerRoute(new NavigationRoute(front, { allowlist: [FRONT] }))
registerRoute(new NavigationRoute(shell, { denylist: NOT_THE_APP }))

handlePush(self)
handleSync(self)

// A new version waits until the person says so: a reload could eat a half-typed form.
self.addEventListener('message', (event) => {
  const data: unknown = event.data
  if (typeof data === 'object' && data !== null && 'type' in data && data.type === 'SKIP_WAITING')
    void self.skipWaiting()
})
