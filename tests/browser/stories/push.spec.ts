// Alerts on a device: turned on, tried, one per lead, tapped; and what cannot be read is shown all the same.
import type { Page } from '@playwright/test'
import { type Business, openBusiness, putLead } from '../support/business'
import { House } from '../support/house'
import { aCustomer } from '../support/people'
import { PushedBrowser, withAddressOf } from '../support/push-browser'
import { type Device, PushService } from '../support/push-service'
import { expectToast, logOut, signIn } from '../support/screens'
import { underServiceWorker } from '../support/service-worker'
import { test as base, expect } from '../support/story'

type Alerted = { house: House; pushes: PushService }

const test = base.extend<{ alerted: Alerted }>({
  alerted: async ({}, use) => {
    const pushes = await PushService.start()
    const house = await House.start(pushes.variables)
    await use({ house, pushes })
    try {
      await house.stop()
    } finally {
      await pushes.stop()
    }
  },
})

type Opened = (options: { baseURL: string; storageState: Business['signedIn']; permissions: string[] }) => Promise<Page>

/** The owner's browser with alerts turned on by a tap in the settings. */
async function turnedOn(
  opened: Opened,
  business: Business,
  device: Device,
): Promise<{ page: Page; browser: PushedBrowser }> {
  const page = await opened({
    baseURL: business.house.url,
    storageState: business.signedIn,
    permissions: ['notifications'],
  })
  await withAddressOf(page, device)
  await page.goto('/app/settings')
  await underServiceWorker(page)
  await page.getByRole('button', { name: 'Turn on alerts' }).click()
  await expectToast(page, 'Alerts are on')
  await expect(page.getByRole('region', { name: 'Devices with alerts' }).getByText('This device')).toBeVisible()
  return { page, browser: await PushedBrowser.of(page) }
}

const devices = (page: Page) => page.getByRole('region', { name: 'Devices with alerts' }).getByRole('listitem')

/** The newest push the service took for this device, opened as the device would. */
async function arrived(device: Device, count: number): Promise<string> {
  await expect.poll(() => device.received.length).toBeGreaterThanOrEqual(count)
  return JSON.stringify(device.received.at(-1))
}

test('a test alert stands on the device, and the settings read it back', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const device = pushes.device()
  const { page, browser } = await turnedOn(opened, await openBusiness(house), device)
  await devices(page)
    .getByRole('button', { name: /^Send me a test/ })
    .click()
  await browser.deliver(await arrived(device, 1))
  await expect.poll(() => browser.standing()).toHaveLength(1)
  await expect(devices(page).getByText(/^seen \d+:\d\d [AP]M$/)).toBeVisible()
  await page.reload()
  await expect(devices(page).getByText(/^Last test seen /)).toBeVisible()
})

/** Texting is not set up in this house, so an alert opens the lead with the words ready for one's own phone. */
const opens = (lead: string) => `/app/leads/${lead}?do=text`

test('a new lead is one alert, heard again under the same tag, and a tap opens exactly that lead', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const device = pushes.device()
  const business = await openBusiness(house)
  const { page, browser } = await turnedOn(opened, business, device)
  const customer = aCustomer()
  const lead = await putLead(business, customer)
  await browser.deliver(await arrived(device, 1))
  const [first] = device.received
  expect(first).toMatchObject({ tag: `lead:${lead}`, leadId: lead, url: opens(lead), test: false })
  await expect.poll(() => browser.standing()).toHaveLength(1)
  const [standing] = await browser.standing()
  expect(standing).toMatchObject({
    title: first?.title,
    body: first?.body,
    tag: `lead:${lead}`,
    data: { url: opens(lead) },
  })

  await browser.deliver(JSON.stringify({ ...first, body: 'Asked again' }))
  await expect.poll(async () => (await browser.standing()).map(({ body }) => body)).toEqual(['Asked again'])

  expect(await browser.tap(`lead:${lead}`)).toBeUndefined()
  await expect(page).toHaveURL(house.url + opens(lead))
  await expect(page.getByRole('dialog', { name: 'Text from your phone' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(`${house.url}/app/leads/${lead}`)
  await expect(page.getByRole('heading', { level: 1, name: customer.name })).toBeVisible()
  await expect.poll(() => browser.standing()).toHaveLength(0)
})

test('with no window of the app open, a tap asks for one at the lead', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const device = pushes.device()
  const business = await openBusiness(house)
  const { page, browser } = await turnedOn(opened, business, device)
  const lead = await putLead(business, aCustomer())
  const alert = await arrived(device, 1)
  // A page for customers is not the app.
  await page.goto(`/lead?org=${business.slug}`)
  await browser.deliver(alert)
  await expect.poll(() => browser.standing()).toHaveLength(1)
  expect(await browser.tap(`lead:${lead}`)).toBe(opens(lead))
})

test('a tap never takes a half-typed form away', async ({ alerted: { house, pushes }, opened }) => {
  const device = pushes.device()
  const business = await openBusiness(house)
  const { page, browser } = await turnedOn(opened, business, device)
  const lead = await putLead(business, aCustomer())
  const name = page.getByRole('form', { name: 'Business info' }).getByLabel('Business name')
  await name.fill('Half typed')
  await browser.deliver(await arrived(device, 1))
  await expect.poll(() => browser.standing()).toHaveLength(1)
  await browser.tap(`lead:${lead}`)
  await expectToast(page, 'You are in the middle of a form')
  await expect(name).toHaveValue('Half typed')
  await page.getByRole('button', { name: 'Open now' }).click()
  await expect(page).toHaveURL(house.url + opens(lead))
})

test('a push that cannot be read, or leads elsewhere, is shown and stays in the app', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const { browser } = await turnedOn(opened, await openBusiness(house), pushes.device())
  await browser.deliver('cut short {')
  await expect.poll(async () => (await browser.standing()).map(({ title }) => title)).toEqual(['Toolbox'])
  await browser.deliver(
    JSON.stringify({ title: 'Elsewhere', body: 'x', url: 'https://elsewhere.example/', tag: 'elsewhere' }),
  )
  await expect
    .poll(async () => (await browser.standing()).find(({ tag }) => tag === 'elsewhere')?.data)
    .toEqual({ url: '/app' })
})

test('a device whose address is gone is named, and alerts can be turned on again', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const device = pushes.device()
  const { page } = await turnedOn(opened, await openBusiness(house), device)
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

test('an address the browser changes by itself is told to the server', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const [old, fresh] = [pushes.device(), pushes.device()]
  const { page, browser } = await turnedOn(opened, await openBusiness(house), old)
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

test('signing out takes the alerts down, and the next person on the device gets none', async ({
  alerted: { house, pushes },
  opened,
}) => {
  const device = pushes.device()
  const business = await openBusiness(house)
  const { page, browser } = await turnedOn(opened, business, device)
  await putLead(business, aCustomer())
  await browser.deliver(await arrived(device, 1))
  await expect.poll(() => browser.standing()).toHaveLength(1)
  await logOut(page)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  expect(await browser.standing()).toEqual([])

  const other = await openBusiness(house)
  await signIn(page, other.owner)
  await expect(page.getByRole('button', { name: 'Turn on alerts' })).toBeVisible()
  await expect(page.getByText('No device gets alerts yet.', { exact: false })).toBeVisible()
  await putLead(business, aCustomer())
  const theirs = await putLead(other, aCustomer())
  await page.goto(`/app/leads/${theirs}`)
  await expect(page.getByText(/^Saved as /).first()).toBeVisible()
  expect(device.received).toHaveLength(1)
})
