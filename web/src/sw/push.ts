/// <reference lib="webworker" />
// Push notifications with the app closed: one per lead, opened by a tap.
import { CLIENT_HEADERS } from '@/api/client-headers'
import type { components } from '@/api/schema'
import { setBadgeCount } from '@/pwa/app-badge'
import { getDeviceLabel } from '@/pwa/device-label'

/** Validated push payload. */
export type PushAlert = {
  title: string
  body: string
  url: string
  tag: string
  deviceId: string | null
  isUrgent: boolean
  isTest: boolean
}

type ShownNotification = { title: string; options: NotificationOptions & { renotify: boolean } }

const HOME = '/app'
/** Browsers revoke permission for silent pushes: something is always shown. */
const FALLBACK_ALERT: PushAlert = {
  title: 'Toolbox',
  body: 'Something new came in. Open the app to see it.',
  url: HOME,
  tag: 'toolbox',
  deviceId: null,
  isUrgent: false,
  isTest: false,
}

const textOr = (value: unknown, otherwise: string) => (typeof value === 'string' && value !== '' ? value : otherwise)

/** Same-site paths only. */
const toAppPath = (value: unknown) => (typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : HOME)

/** Unreadable payloads yield the fallback. */
export function parseAlert(text: string | undefined): PushAlert {
  let data: unknown
  try {
    data = JSON.parse(text ?? '')
  } catch {
    return FALLBACK_ALERT
  }
  if (typeof data !== 'object' || data === null) return FALLBACK_ALERT
  const { title, body, url, tag, leadId, deviceId, urgent, test } = data as Record<string, unknown>
  return {
    title: textOr(title, FALLBACK_ALERT.title),
    body: textOr(body, FALLBACK_ALERT.body),
    url: toAppPath(url),
    tag: textOr(tag, typeof leadId === 'string' ? `lead:${leadId}` : FALLBACK_ALERT.tag),
    deviceId: typeof deviceId === 'string' ? deviceId : null,
    isUrgent: urgent === true,
    isTest: test === true,
  }
}

/** The data holds a path only. */
export function toNotification(alert: PushAlert): ShownNotification {
  return {
    title: alert.title,
    options: {
      body: alert.body,
      tag: alert.tag,
      // Replaces the earlier one of the lead, with sound.
      renotify: true,
      requireInteraction: alert.isUrgent,
      icon: '/icons/icon-192.png',
      badge: '/icons/icon-monochrome-512.png',
      data: { url: alert.url },
    },
  }
}

async function reportSeen(alert: PushAlert): Promise<void> {
  if (!alert.isTest || alert.deviceId === null) return
  try {
    await fetch(`/api/push/devices/${encodeURIComponent(alert.deviceId)}/seen`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: CLIENT_HEADERS,
    })
  } catch (error) {
    // Offline: the notification stays, the settings report no answer.
    if (!(error instanceof TypeError)) throw error
  }
}

export async function updateBadge(): Promise<void> {
  try {
    const answer = await fetch('/api/worklist/count', { credentials: 'same-origin' })
    // Signed out, or a crew device: unchanged.
    if (!answer.ok) return
    const { waiting } = (await answer.json()) as components['schemas']['WorklistCount']
    await setBadgeCount(waiting)
  } catch (error) {
    // Offline: counted at the next alert or start.
    if (!(error instanceof TypeError)) throw error
  }
}

/** A loading page does not reply. */
const REPLY_TIMEOUT_MS = 1500

const isStaff = ({ url }: WindowClient) => new URL(url).pathname.startsWith(HOME)

/** Prefers a visible staff window. */
function chooseWindow(windows: readonly WindowClient[]): WindowClient | undefined {
  const own = windows.filter(isStaff)
  return own.find(({ visibilityState }) => visibilityState === 'visible') ?? own[0]
}

/** True once acknowledged. */
function postNavigate(page: WindowClient, url: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), REPLY_TIMEOUT_MS)
    port1.addEventListener(
      'message',
      () => {
        clearTimeout(timer)
        done(true)
      },
      { once: true },
    )
    port1.start()
    page.postMessage({ type: 'NAVIGATE', url }, [port2])
  })
}

export async function openUrl(clients: Clients, url: string): Promise<void> {
  const found = chooseWindow(await clients.matchAll({ type: 'window', includeUncontrolled: true }))
  if (!found) {
    await clients.openWindow(url)
    return
  }
  // First: the permission to focus ends soon after the tap.
  try {
    await found.focus()
  } catch (error) {
    // Focus may be refused late; navigation still works.
    if (!(error instanceof DOMException)) throw error
  }
  // In-app navigation keeps unsaved input.
  if (!(await postNavigate(found, url))) await found.navigate(url)
}

function getUrl(notification: Notification): string {
  const data: unknown = notification.data
  return toAppPath(typeof data === 'object' && data !== null && 'url' in data ? data.url : undefined)
}

/** Some browsers do not expose the old key. */
async function fetchServerKey(): Promise<string> {
  const answer = await fetch('/api/push/key', { credentials: 'same-origin' })
  if (!answer.ok) throw new Error(`The server gave no key for alerts (${answer.status})`)
  const { publicKey } = (await answer.json()) as { publicKey: string }
  return publicKey
}

/** Reports a changed address to the server. */
async function renewSubscription(
  registration: ServiceWorkerRegistration,
  old: PushSubscription | null,
  given: PushSubscription | null,
): Promise<void> {
  const fresh =
    given ??
    (await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: old?.options.applicationServerKey ?? (await fetchServerKey()),
    }))
  const { endpoint, keys } = fresh.toJSON()
  await fetch('/api/push/devices', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ endpoint, keys, label: getDeviceLabel() }),
  })
}

export function handlePush(self: ServiceWorkerGlobalScope): void {
  self.addEventListener('push', (event) => {
    const alert = parseAlert(event.data?.text())
    const { title, options } = toNotification(alert)
    // Shown before it is reported as seen.
    event.waitUntil(
      self.registration.showNotification(title, options).then(() => Promise.all([reportSeen(alert), updateBadge()])),
    )
  })
  self.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(openUrl(self.clients, getUrl(event.notification)))
  })
  self.addEventListener('pushsubscriptionchange', (event) => {
    const { oldSubscription, newSubscription } = event
    event.waitUntil(renewSubscription(self.registration, oldSubscription, newSubscription))
  })
}
