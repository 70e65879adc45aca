/// <reference lib="webworker" />
// Alerts with the app closed: always shown, one per lead, and a tap opens exactly what it is about.
import { OURS } from '@/api/ours'
import { markIcon } from '@/pwa/app-badge'
import { deviceLabel } from '@/pwa/push-label'

/** What the server puts into a push, once it has been looked at. */
export type Alert = {
  title: string
  body: string
  url: string
  tag: string
  deviceId: string | null
  isUrgent: boolean
  isTest: boolean
}

type Shown = { title: string; options: NotificationOptions & { renotify: boolean } }

const HOME = '/app'
/** A browser takes the permission away from an app that is woken and shows nothing: something always stands. */
const UNREADABLE: Alert = {
  title: 'Toolbox',
  body: 'Something new came in. Open the app to see it.',
  url: HOME,
  tag: 'toolbox',
  deviceId: null,
  isUrgent: false,
  isTest: false,
}

const words = (value: unknown, otherwise: string) => (typeof value === 'string' && value !== '' ? value : otherwise)

/** Only an address of this app: a push must never lead anywhere else. */
const ownAddress = (value: unknown) => (typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : HOME)

/** Reads a push; what cannot be read is still an alert. */
export function readAlert(text: string | undefined): Alert {
  let data: unknown
  try {
    data = JSON.parse(text ?? '')
  } catch {
    // Cut short or not ours: the person still hears that there is something.
    return UNREADABLE
  }
  if (typeof data !== 'object' || data === null) return UNREADABLE
  const { title, body, url, tag, leadId, deviceId, urgent, test } = data as Record<string, unknown>
  return {
    title: words(title, UNREADABLE.title),
    body: words(body, UNREADABLE.body),
    url: ownAddress(url),
    tag: words(tag, typeof leadId === 'string' ? `lead:${leadId}` : UNREADABLE.tag),
    deviceId: typeof deviceId === 'string' ? deviceId : null,
    isUrgent: urgent === true,
    isTest: test === true,
  }
}

/** How it looks. The data holds an address and nothing of the customer. */
export function shownAs(alert: Alert): Shown {
  return {
    title: alert.title,
    options: {
      body: alert.body,
      tag: alert.tag,
      // A second alert about the same lead takes the first one's place, and is heard again.
      renotify: true,
      requireInteraction: alert.isUrgent,
      icon: '/icons/icon-192.png',
      badge: '/icons/icon-monochrome-512.png',
      data: { url: alert.url },
    },
  }
}

/** Tells the server that this device showed the test, so that the owner reads it back. */
async function reportSeen(alert: Alert): Promise<void> {
  if (!alert.isTest || alert.deviceId === null) return
  try {
    await fetch(`/api/push/devices/${encodeURIComponent(alert.deviceId)}/seen`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: OURS,
    })
  } catch (error) {
    // No network at this moment: the alert stands all the same, and the settings say that nothing came back.
    if (!(error instanceof TypeError)) throw error
  }
}

/** With the app closed nobody else keeps the number on its icon right. */
export async function countUnread(): Promise<void> {
  try {
    const answer = await fetch('/api/inbox?filter=unread&limit=1', { credentials: 'same-origin' })
    const unread = answer.headers.get('X-Unread-Count')
    // Signed out, or the crew's device: there is nothing to count, and the number stays as it was left.
    if (answer.ok && unread !== null) await markIcon(Number(unread))
  } catch (error) {
    // No network at this moment: the next alert or the next start counts anew.
    if (!(error instanceof TypeError)) throw error
  }
}

/** A page that is still loading hears nothing yet. */
const HEARD_WITHIN_MS = 1500

const isStaff = ({ url }: WindowClient) => new URL(url).pathname.startsWith(HOME)

/** The window to bring to the front: one of the staff app that is in sight, else any of it. */
function best(windows: readonly WindowClient[]): WindowClient | undefined {
  const own = windows.filter(isStaff)
  return own.find(({ visibilityState }) => visibilityState === 'visible') ?? own[0]
}

/** Tells the page the address; true once it has heard. */
function tell(page: WindowClient, url: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), HEARD_WITHIN_MS)
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

/** A window that stands is brought to the front and led to the address, else one is opened there. */
export async function openAt(clients: Clients, url: string): Promise<void> {
  const found = best(await clients.matchAll({ type: 'window', includeUncontrolled: true }))
  if (!found) {
    await clients.openWindow(url)
    return
  }
  // First, for the leave to do so ends soon after the tap.
  try {
    await found.focus()
  } catch (error) {
    // Some browsers refuse once the tap is too long ago; the window goes to the address all the same.
    if (!(error instanceof DOMException)) throw error
  }
  // In the app, not by loading it anew: a form that is being typed in would be lost.
  if (!(await tell(found, url))) await found.navigate(url)
}

function urlOf(notification: Notification): string {
  const data: unknown = notification.data
  return ownAddress(typeof data === 'object' && data !== null && 'url' in data ? data.url : undefined)
}

/** The server's key; some browsers do not say which one the old address was made for. */
async function serverKey(): Promise<string> {
  const answer = await fetch('/api/push/key', { credentials: 'same-origin' })
  if (!answer.ok) throw new Error(`The server gave no key for alerts (${answer.status})`)
  const { publicKey } = (await answer.json()) as { publicKey: string }
  return publicKey
}

/** The browser gave the device a new address: the server must know it, or alerts end without a word. */
async function subscribeAgain(
  registration: ServiceWorkerRegistration,
  old: PushSubscription | null,
  given: PushSubscription | null,
): Promise<void> {
  const fresh =
    given ??
    (await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: old?.options.applicationServerKey ?? (await serverKey()),
    }))
  const { endpoint, keys } = fresh.toJSON()
  await fetch('/api/push/devices', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ endpoint, keys, label: deviceLabel() }),
  })
}

/** Wires the three events. */
export function handlePush(self: ServiceWorkerGlobalScope): void {
  self.addEventListener('push', (event) => {
    const alert = readAlert(event.data?.text())
    const { title, options } = shownAs(alert)
    // What is read back is that it stands, so first it stands.
    event.waitUntil(
      self.registration.showNotification(title, options).then(() => Promise.all([reportSeen(alert), countUnread()])),
    )
  })
  self.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(openAt(self.clients, urlOf(event.notification)))
  })
  self.addEventListener('pushsubscriptionchange', (event) => {
    const { oldSubscription, newSubscription } = event
    event.waitUntil(subscribeAgain(self.registration, oldSubscription, newSubscription))
  })
}
