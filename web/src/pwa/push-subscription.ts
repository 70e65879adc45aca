// Push subscription of this browser.
import { readText, removeItem, writeText } from '@/lib/storage'

/** `denied`: by the user or a device policy. `install-first`: an iPhone browser tab. `unsupported`: no push. */
export type PushState = 'ready' | 'on' | 'denied' | 'install-first' | 'unsupported'
export type PushAddress = { endpoint: string; keys: { p256dh: string; auth: string } }

const DEVICE_KEY = 'toolbox.push-device'
const WORKER_TIMEOUT_MS = 30_000

const isStandalone = () =>
  ('standalone' in navigator && navigator.standalone === true) ||
  (globalThis.matchMedia?.('(display-mode: standalone)').matches ?? false)

/** iPadOS reports a Mac; touch support tells it apart. */
const isIos = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)

const isPushSupported = () =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** `ready` never resolves after a failed registration. */
async function getRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  return isPushSupported() ? navigator.serviceWorker.getRegistration('/') : undefined
}

export async function getPushState(): Promise<PushState> {
  if (isIos() && !isStandalone()) return 'install-first'
  if (!isPushSupported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  const subscription = await (await getRegistration())?.pushManager.getSubscription()
  return subscription && Notification.permission === 'granted' && getDeviceId() !== null ? 'on' : 'ready'
}

function keyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  const padded = publicKey.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0))
}

function toPushAddress(subscription: PushSubscription): PushAddress {
  const { endpoint, keys } = subscription.toJSON()
  if (endpoint === undefined || keys?.['p256dh'] === undefined || keys['auth'] === undefined)
    throw new Error('The browser gave an address without keys')
  return { endpoint, keys: { p256dh: keys['p256dh'], auth: keys['auth'] } }
}

export class PushDeniedError extends Error {}

/** Timeout for a worker that never activates. */
async function waitForWorker(): Promise<ServiceWorkerRegistration> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const never = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The app is not on this device yet')), WORKER_TIMEOUT_MS)
  })
  try {
    return await Promise.race([navigator.serviceWorker.ready, never])
  } finally {
    clearTimeout(timer)
  }
}

/** A subscription for another server key is replaced. */
export async function subscribeToPush(publicKey: string): Promise<PushAddress> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new PushDeniedError('Notifications are not allowed on this device')
  const { pushManager } = await waitForWorker()
  const options = { userVisibleOnly: true, applicationServerKey: keyBytes(publicKey) }
  try {
    return toPushAddress(await pushManager.subscribe(options))
  } catch (error) {
    const old = await pushManager.getSubscription()
    if (!old) throw error
    await old.unsubscribe()
    return toPushAddress(await pushManager.subscribe(options))
  }
}

export async function getPushAddress(): Promise<PushAddress | null> {
  const subscription = await (await getRegistration())?.pushManager.getSubscription()
  return subscription ? toPushAddress(subscription) : null
}

export async function unsubscribeFromPush(): Promise<void> {
  removeItem(localStorage, DEVICE_KEY)
  const subscription = await (await getRegistration())?.pushManager.getSubscription()
  await subscription?.unsubscribe()
}

/** At logout: unsubscribes and closes notifications. */
export async function removePush(): Promise<void> {
  const notifications = (await (await getRegistration())?.getNotifications()) ?? []
  for (const notification of notifications) notification.close()
  await unsubscribeFromPush()
}

export function setDeviceId(id: string): void {
  writeText(localStorage, DEVICE_KEY, id)
}

/** Null while push is off. */
export function getDeviceId(): string | null {
  return readText(localStorage, DEVICE_KEY)
}
