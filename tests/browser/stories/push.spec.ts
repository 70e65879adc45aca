// Alerts on a device: turned on, tested, one per lead, tapped; unreadable ones are shown too.
import type { Page } from '@playwright/test'
import { type Business, registerBusiness, createLead } from '../support/business'
import { Install } from '../support/install'
import { buildCustomer } from '../support/people'
import { PushBrowser, stubPushAddress } from '../support/push-browser'
import { type PushDevice, PushService } from '../support/push-service'
import { expectToast, logOut, signIn } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { test as base, expect } from '../support/fixtures'

type Alerted = { install: Install; pushes: PushService }

const test = base.extend<{ alerted: Alerted }>({
  alerted: async ({}, use) => {
    const pushes = await PushService.start()
    const install = await Install.start(pushes.variables)
    await use({ install, pushes })
    try {
      await install.stop()
    } finally {
      await pushes.stop()
    }
  },
})

type Opened = (options: { baseURL: string; storageState: Business['signedIn']; permissions: string[] }) => Promise<Page>

/** The owner's browser with alerts turned on by a tap in the settings. */
async function turnedOn(
  openPage: Opened,
  business: Business,
  device: PushDevice,
): Promise<{ page: Page; browser: PushBrowser }> {
  const page = await openPage({
    baseURL: business.install.url,
    storageState: business.signedIn,
    permissions: ['notifications'],
  })
  await stubPushAddress(page, device)
  await page.goto('/app/settings/alerts')
  await waitForServiceWorker(page)
  await page.getByRole('button', { name: 'Turn on alerts' }).click()
  await expectToast(page, 'Alerts are on')
  await expect(page.getByRole('region', { name: 'Devices with alerts' }).getByText('This device')).toBeVisible()
  return { page, browser: await PushBrowser.of(page) }
}

const devices = (page: Page) => page.getByRole('region', { name: 'Devices with alerts' }).getByRole('listitem')

/** The newest push the service took for this device, opened as the device would. */
async function arrived(device: PushDevice, count: number): Promise<string> {
  await expect.poll(() => device.received.length).toBeGreaterThanOrEqual(count)
  return JSON.stringify(device.received.at(-1))
}

test('push test: shown on the device, confirmed in the settings', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const device = pushes.device()
  const { page, browser } = await turnedOn(openPage, await registerBusiness(install), device)
  await devices(page)
    .getByRole('button', { name: /^Send me a test/ })
    .click()
  await browser.deliver(await arrived(device, 1))
  await expect.poll(() => browser.shownNotifications()).toHaveLength(1)
  await expect(devices(page).getByText(/^seen \d+:\d\d [AP]M$/)).toBeVisible()
  await page.reload()
  await expect(devices(page).getByText(/^Last test seen /)).toBeVisible()
})

/** Texting is not set up in this install, so an alert opens the lead with a prepared text for the owner's phone. */
const opens = (lead: string) => `/app/leads/${lead}?do=text`

test('new lead: one notification per lead under one tag; a tap opens the lead', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const device = pushes.device()
  const business = await registerBusiness(install)
  const { page, browser } = await turnedOn(openPage, business, device)
  const customer = buildCustomer()
  const lead = await createLead(business, customer)
  await browser.deliver(await arrived(device, 1))
  const [first] = device.received
  expect(first).toMatchObject({ tag: `lead:${lead}`, leadId: lead, url: opens(lead), test: false })
  await expect.poll(() => browser.shownNotifications()).toHaveLength(1)
  const [notification] = await browser.shownNotifications()
  expect(notification).toMatchObject({
    title: first?.title,
    body: first?.body,
    tag: `lead:${lead}`,
    data: { url: opens(lead) },
  })

  await browser.deliver(JSON.stringify({ ...first, body: 'Asked again' }))
  await expect.poll(async () => (await browser.shownNotifications()).map(({ body }) => body)).toEqual(['Asked again'])

  expect(await browser.tap(`lead:${lead}`)).toBeUndefined()
  await expect(page).toHaveURL(install.url + opens(lead))
  await expect(page.getByRole('dialog', { name: 'Text from your phone' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(`${install.url}/app/leads/${lead}`)
  await expect(page.getByRole('heading', { level: 1, name: customer.name })).toBeVisible()
  await expect.poll(() => browser.shownNotifications()).toHaveLength(0)
})

test('notification tap without an open window: opens a window at the lead', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const device = pushes.device()
  const business = await registerBusiness(install)
  const { page, browser } = await turnedOn(openPage, business, device)
  const lead = await createLead(business, buildCustomer())
  const alert = await arrived(device, 1)
  // A page for customers is not the app.
  await page.goto(`/lead?org=${business.slug}`)
  await browser.deliver(alert)
  await expect.poll(() => browser.shownNotifications()).toHaveLength(1)
  expect(await browser.tap(`lead:${lead}`)).toBe(opens(lead))
})

test('notification tap: never leaves a form with unsaved input', async ({ alerted: { install, pushes }, openPage }) => {
  const device = pushes.device()
  const business = await registerBusiness(install)
  const { page, browser } = await turnedOn(openPage, business, device)
  const lead = await createLead(business, buildCustomer())
  await page.goto('/app/settings/missed-calls')
  // A number is saved on leaving its field; a text after a pause, when nothing is unsaved any more.
  const seconds = page.getByLabel('Ring for')
  await seconds.fill('25')
  await browser.deliver(await arrived(device, 1))
  await expect.poll(() => browser.shownNotifications()).toHaveLength(1)
  await browser.tap(`lead:${lead}`)
  await expectToast(page, 'You are in the middle of a form')
  await expect(seconds).toHaveValue('25')
  await page.getByRole('button', { name: 'Open now' }).click()
  await expect(page).toHaveURL(install.url + opens(lead))
})

test('push with an unreadable body or a foreign address: shown, and stays in the app', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const { browser } = await turnedOn(openPage, await registerBusiness(install), pushes.device())
  await browser.deliver('cut short {')
  await expect.poll(async () => (await browser.shownNotifications()).map(({ title }) => title)).toEqual(['Toolbox'])
  await browser.deliver(
    JSON.stringify({ title: 'Elsewhere', body: 'x', url: 'https://elsewhere.example/', tag: 'elsewhere' }),
  )
  await expect
    .poll(async () => (await browser.shownNotifications()).find(({ tag }) => tag === 'elsewhere')?.data)
    .toEqual({ url: '/app' })
})

test('device with an expired address: named, and alerts can be enabled again', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const device = pushes.device()
  const { page } = await turnedOn(openPage, await registerBusiness(install), device)
  device.isGone = true
  await devices(page)
    .getByRole('button', { name: /^Send me a test/ })
    .click()
  await expect(devices(page).getByText(/^Gets nothing since /)).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('button', { name: 'Turn on alerts' })).toBeVisible()
  await devices(page)
    .getByRole('button', { name: /^Remove / })
    .click()
  await expect(devices(page)).toHaveCount(0)
})

test('push address changed by the browser: reported to the server', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const [old, fresh] = [pushes.device(), pushes.device()]
  const { page, browser } = await turnedOn(openPage, await registerBusiness(install), old)
  await browser.readdress(fresh)
  await page.reload()
  await expect(devices(page)).toHaveCount(2)
  await devices(page)
    .nth(1)
    .getByRole('button', { name: /^Send me a test/ })
    .click()
  await arrived(fresh, 1)
  expect(old.received).toEqual([])
})

test('logout: closes notifications, and the next user of the device receives none', async ({
  alerted: { install, pushes },
  openPage,
}) => {
  const device = pushes.device()
  const business = await registerBusiness(install)
  const { page, browser } = await turnedOn(openPage, business, device)
  await createLead(business, buildCustomer())
  await browser.deliver(await arrived(device, 1))
  await expect.poll(() => browser.shownNotifications()).toHaveLength(1)
  await logOut(page)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  expect(await browser.shownNotifications()).toEqual([])

  const other = await registerBusiness(install)
  await signIn(page, other.owner)
  await expect(page.getByRole('button', { name: 'Turn on alerts' })).toBeVisible()
  await expect(page.getByText('No device gets alerts yet.', { exact: false })).toBeVisible()
  await createLead(business, buildCustomer())
  const theirs = await createLead(other, buildCustomer())
  await page.goto(`/app/leads/${theirs}`)
  await expect(page.getByText(/^Saved as /).first()).toBeVisible()
  expect(device.received).toHaveLength(1)
})
