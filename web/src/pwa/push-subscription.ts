// This browser's address for alerts: whether it can have one, asking for it, giving it up.
import { readText, remove, writeText } from '@/lib/storage'

/**
 * `ready` to ask, `on`, `denied` by the person or a rule of the device, `install-first` on an iPhone in a browser tab,
 * `unsupported` where no alert can ever arrive.
 */
export type PushState = 'ready' | 'on' | 'denied' | 'install-first' | 'unsupported'
export type PushAddress = { endpoint: string; keys: { p256dh: string; auth: string } }

const DEVICE_KEY = 'toolbox.push-device'
const WORKER_WITHIN_MS = 30_000

const isStandalone = () =>
  ('standalone' in navigator && navigator.standalone === true) ||
  (globalThis.matchMedia?.('(display-mode: standalone)').matches ?? false)

/** An iPad says it is a Mac; only its fingers give it away. */
const isIos = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)

const isAble = () => 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** A page whose worker failed to register would wait for it for ever. */
async function registration(): Promise<ServiceWorkerRegistration | undefined> {
  return isAble() ? navigator.serviceWorker.getRegistration('/') : undefined
}

/** How it stands on this device now. */
export async function pushState(): Promise<PushState> {
  if (isIos() && !isStandalone()) return 'install-first'
  if (!isAble()) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  const subscription = await (await registration())?.pushManager.getSubscription()
  return subscription && Notification.permission === 'granted' && knownDevice() !== null ? 'on' : 'ready'
}

function keyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  const padded = publicKey.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0))
}

function addressOf(subscription: PushSubscription): PushAddress {
  const { endpoint, keys } = subscription.toJSON()
  if (endpoint === undefined || keys?.['p256dh'] === undefined || keys['auth'] === undefined)
    throw new Error('The browser gave an address without keys')
  return { endpoint, keys: { p256dh: keys['p256dh'], auth: keys['auth'] } }
}

/** The person said no, or the device says it for them. */
export class PushRefused extends Error {}

/** The worker comes with the first visit; one that never comes must not keep the person waiting for ever. */
async function workerAtHand(): Promise<ServiceWorkerRegistration> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const never = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The app is not on this device yet')), WORKER_WITHIN_MS)
  })
  try {
    return await Promise.race([navigator.serviceWorker.ready, never])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks the person, then the browser. An address made for another key of the server's is given up first. */
export async function subscribeToPush(publicKey: string): Promise<PushAddress> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new PushRefused('Notifications are not allowed on this device')
  const { pushManager } = await workerAtHand()
  const options = { userVisibleOnly: true, applicationServerKey: keyBytes(publicKey) }
  try {
    return addressOf(await pushManager.subscribe(options))
  } catch (error) {
    const old = await pushManager.getSubscription()
    if (!old) throw error
    await old.unsubscribe()
    return addressOf(await pushManager.subscribe(options))
  }
}

/** The address this browser has now; null where it has none. */
export async function currentAddress(): Promise<PushAddress | null> {
  const subscription = await (await registration())?.pushManager.getSubscription()
  return subscription ? addressOf(subscription) : null
}

/** Gives the address up; the device is then known to nobody. */
export async function unsubscribeFromPush(): Promise<void> {
  remove(localStorage, DEVICE_KEY)
  const subscription = await (await registration())?.pushManager.getSubscription()
  await subscription?.unsubscribe()
}

/** Signing out: no alert comes any more, and those that stand, with a customer's name perhaps, are taken down. */
export async function leavePush(): Promise<void> {
  const standing = (await (await registration())?.getNotifications()) ?? []
  for (const notification of standing) notification.close()
  await unsubscribeFromPush()
}

/** Which of the server's devices this one is. */
export function rememberDevice(id: string): void {
  writeText(localStorage, DEVICE_KEY, id)
}

/** The id the server gave this device; null while alerts are off. */
export function knownDevice(): string | null {
  return readText(localStorage, DEVICE_KEY)
}
