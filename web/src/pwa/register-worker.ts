// Service worker registration and update checks, loaded after the first screen.
import { Workbox } from 'workbox-window'
import { hasDirtyForm } from '@/lib/dirty-forms'
import { offerUpdate } from './update-state'

const CHECK_EVERY_MS = 30 * 60 * 1000
const CHECK_AFTER_HIDDEN_MS = 60 * 60 * 1000

function watchForUpdates(registration: ServiceWorkerRegistration): void {
  let checkedAt = Date.now()
  const check = async () => {
    if (!navigator.onLine) return
    checkedAt = Date.now()
    try {
      await registration.update()
    } catch (error) {
      // Server unavailable: the next check is enough.
      if (!(error instanceof TypeError)) throw error
    }
  }
  setInterval(() => {
    if (document.visibilityState === 'visible') void check()
  }, CHECK_EVERY_MS)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && Date.now() - checkedAt > CHECK_AFTER_HIDDEN_MS) void check()
  })
}

/** A waiting version is offered, never forced. */
export async function registerWorker(): Promise<void> {
  const workbox = new Workbox('/sw.js', { scope: '/' })
  let isAsked = false
  const letIn = () => {
    isAsked = true
    workbox.messageSkipWaiting()
  }
  workbox.addEventListener('waiting', () => offerUpdate(letIn))
  let isControlled = Boolean(navigator.serviceWorker.controller)
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    const isUpdate = isControlled
    isControlled = true
    // The first worker controls a page of the same version.
    if (!isUpdate) return
    // Activated by another tab: reloads unless a form is dirty.
    if (isAsked || !hasDirtyForm()) globalThis.location.reload()
    else offerUpdate(() => globalThis.location.reload())
  })
  const registration = await workbox.register()
  if (registration) watchForUpdates(registration)
}
