/// <reference lib="webworker" />
// Service worker: precaches the shell, and keeps the texts of the language that is read. Data is never cached here, since
// a cache by URL would mix users.
import { clientsClaim, type RouteHandlerCallbackOptions } from 'workbox-core'
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { ROOT_PATH, SERVER_PATHS } from './server-paths'
import { handlePush } from './push'
import { handleSync } from './sync'
import { answerTexts, isTexts } from './texts'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] }

// The server decides the root.
precacheAndRoute(self.__WB_MANIFEST, { directoryIndex: '' })
cleanupOutdatedCaches()
clientsClaim()

const shell = createHandlerBoundToURL('/index.html')

/** Site or app, decided by the server; offline the app. */
async function handleRoot(options: RouteHandlerCallbackOptions): Promise<Response> {
  try {
    return await fetch(options.request)
  } catch {
    return shell(options)
  }
}

registerRoute(new NavigationRoute(handleRoot, { allowlist: [ROOT_PATH] }))
registerRoute(new NavigationRoute(shell, { denylist: SERVER_PATHS }))

registerRoute(isTexts, answerTexts)

handlePush(self)
handleSync(self)

// Activated on request only: a reload could lose input.
self.addEventListener('message', (event) => {
  const data: unknown = event.data
  if (typeof data === 'object' && data !== null && 'type' in data && data.type === 'SKIP_WAITING')
    void self.skipWaiting()
})
