// A browser that receives pushes: its address is at our own push service, and messages are passed to the real service
// worker through the browser's protocol.
import { type CDPSession, expect, type Page, type Worker } from '@playwright/test'
import type { PushDevice } from './push-service'

/** What of a worker's world the stories touch; the compiler knows a page's world or a worker's, not both. */
type WorkerGlobals = {
  registration: ServiceWorkerRegistration
  clients: { openWindow: (url: string) => Promise<null> }
  dispatchEvent: (event: Event) => boolean
  NotificationEvent: new (name: string, parts: { notification: Notification }) => Event
  ExtendableEvent: new (name: string) => Event
}

/** The browser's own push service cannot be reached from here, so the address is ours; all else is the browser's. */
export async function stubPushAddress(page: Page, device: PushDevice): Promise<void> {
  await page.addInitScript((address) => {
    const given = () =>
      ({
        ...address,
        options: {},
        toJSON: () => address,
        unsubscribe: () => {
          localStorage.removeItem('story.subscribed')
          return Promise.resolve(true)
        },
      }) as unknown as PushSubscription
    PushManager.prototype.subscribe = () => {
      localStorage.setItem('story.subscribed', 'yes')
      return Promise.resolve(given())
    }
    PushManager.prototype.getSubscription = () =>
      Promise.resolve(localStorage.getItem('story.subscribed') === null ? null : given())
  }, device.subscription)
}

export type ShownNotification = { title: string; body: string; tag: string; data: unknown }

export class PushBrowser {
  private constructor(
    private readonly page: Page,
    private readonly devtools: CDPSession,
    private readonly registrationId: string,
  ) {}

  /** Of a page that the worker controls. */
  static async of(page: Page): Promise<PushBrowser> {
    const devtools = await page.context().newCDPSession(page)
    const found = new Promise<string>((done) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(
          ({ isDeleted, scopeURL }) => !isDeleted && scopeURL.startsWith(new URL(page.url()).origin),
        )
        if (own) done(own.registrationId)
      })
    })
    await devtools.send('ServiceWorker.enable')
    return new PushBrowser(page, devtools, await found)
  }

  /** A push arrives at the browser, and something is shown. */
  async deliver(data: string): Promise<void> {
    const { origin } = new URL(this.page.url())
    const before = await this.shownAt()
    // The protocol hands a push over without saying whether the worker got it; a worker that is slow to wake on a busy
    // machine may miss one. A push service that hears nothing sends again, and so does this.
    await expect(async () => {
      await this.devtools.send('ServiceWorker.startWorker', { scopeURL: `${origin}/` })
      await this.devtools.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId: this.registrationId,
        data,
      })
      await expect.poll(() => this.shownAt(), { timeout: 5_000 }).toBeGreaterThan(before)
    }).toPass({ timeout: 30_000 })
  }

  /** When the newest notification was shown. */
  private shownAt(): Promise<number> {
    return this.page.evaluate(async () => {
      const all = await ServiceWorkerRegistration.prototype.getNotifications.call(await navigator.serviceWorker.ready)
      return Math.max(0, ...all.map((shown) => (shown as Notification & { timestamp: number }).timestamp))
    })
  }

  /** Notifications on the device's screen. */
  shownNotifications(): Promise<ShownNotification[]> {
    return this.page.evaluate(async () => {
      const all = await ServiceWorkerRegistration.prototype.getNotifications.call(await navigator.serviceWorker.ready)
      return all.map(({ title, body, tag, data }) => ({ title, body, tag, data: data as unknown }))
    })
  }

  /** The worker itself, woken by what arrives. */
  async worker(): Promise<Worker> {
    const find = () =>
      this.page
        .context()
        .serviceWorkers()
        .find((worker) => worker.url().endsWith('/sw.js'))
    await expect.poll(() => find() !== undefined).toBe(true)
    const worker = find()
    if (!worker) throw new Error('the service worker has gone')
    return worker
  }

  /** Taps the notification with this tag; returns the address that the worker opened, if any. */
  async tap(tag: string): Promise<string | undefined> {
    const worker = await this.worker()
    return worker.evaluate(async (name) => {
      const self = globalThis as unknown as WorkerGlobals
      const [notification] = await self.registration.getNotifications({ tag: name })
      if (!notification) throw new Error(`no notification with the tag ${name}`)
      let openPage: string | undefined
      // The browser lets a worker open a window only after a finger's tap, which no program can make.
      self.clients.openWindow = (url) => {
        openPage = url
        return Promise.resolve(null)
      }
      let work: Promise<unknown> = Promise.resolve()
      const event = new self.NotificationEvent('notificationclick', { notification })
      Object.assign(event, {
        waitUntil: (promise: Promise<unknown>) => {
          work = promise
        },
      })
      self.dispatchEvent(event)
      await work
      return openPage
    }, tag)
  }

  /** The browser gives the device another address by itself. */
  async readdress(device: PushDevice): Promise<void> {
    const worker = await this.worker()
    await worker.evaluate(async (address) => {
      const self = globalThis as unknown as WorkerGlobals
      let work: Promise<unknown> = Promise.resolve()
      const event = new self.ExtendableEvent('pushsubscriptionchange')
      Object.assign(event, {
        oldSubscription: null,
        newSubscription: { toJSON: () => address },
        waitUntil: (promise: Promise<unknown>) => {
          work = promise
        },
      })
      self.dispatchEvent(event)
      await work
    }, device.subscription)
  }
}
