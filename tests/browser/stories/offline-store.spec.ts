// The offline store of a phone: ciphertext, readable while its lease runs and its session is valid.
import type { Page } from '@playwright/test'
import { registerBusiness, createLead } from '../support/business'
import { rawDeviceData, readableDeviceData } from '../support/device-data'
import { buildCustomer } from '../support/people'
import { findLead } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

const HOUR = 60 * 60_000

/** As when the phone was in the pocket, locked, and is looked at again. */
async function lockAndUnlock(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const state of ['hidden', 'visible']) {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }
  })
}

/** From the next load on, the phone's clock is ahead by so much. */
const setClockAhead = (page: Page, milliseconds: number) =>
  page.addInitScript((ahead) => {
    const now = Date.now.bind(Date)
    Date.now = () => now() + ahead
  }, milliseconds)

test('offline phone with an ended session: shows nothing once its lease is over', async ({
  freshInstall,
  owner,
  openPage,
}) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  await createLead(business, customer)
  const phone = await owner(business)
  await phone.goto('/app/leads')
  await waitForServiceWorker(phone)
  await expect(findLead(phone, customer.name)).toBeVisible()

  await test.step('the stored data is encrypted', async () => {
    await expect.poll(() => readableDeviceData(phone)).toContain(customer.name)
    const bytes = await rawDeviceData(phone)
    for (const trace of [customer.name, customer.e164, customer.email, customer.notes])
      expect(bytes).not.toContain(trace)
  })

  await test.step('within the lease the app works offline, also after a screen lock', async () => {
    await phone.context().setOffline(true)
    await lockAndUnlock(phone)
    await phone.reload()
    await expect(findLead(phone, customer.name)).toBeVisible()
  })

  await test.step('signed out remotely and past the lease, it shows nothing', async () => {
    const desk = await openPage({ baseURL: freshInstall.url })
    const { email, password } = business.owner
    const origin = { Origin: freshInstall.url, 'X-Toolbox-Client': 'story' }
    expect((await desk.request.post('/api/auth/login', { data: { email, password }, headers: origin })).status()).toBe(
      200,
    )
    expect((await desk.request.delete('/api/account/devices', { headers: origin })).status()).toBe(204)

    await setClockAhead(phone, 13 * HOUR)
    await phone.reload()
    await expect(phone.getByText(/locked until it reaches the server again/)).toBeVisible()
    await expect(findLead(phone, customer.name)).toHaveCount(0)
    const left = await readableDeviceData(phone)
    for (const trace of [customer.name, customer.e164, customer.email]) expect(left).not.toContain(trace)
  })

  await test.step('online again it asks to sign in, and its data is deleted', async () => {
    await phone.context().setOffline(false)
    await phone.goto('/app/leads')
    await expect(phone).toHaveURL(/\/login/)
    await expect.poll(() => rawDeviceData(phone)).not.toContain(`toolbox:${business.orgId}`)
  })
})

test('open page: closes when the lease ends offline', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  await createLead(business, customer)
  const phone = await owner(business)
  await phone.goto('/app/leads')
  await waitForServiceWorker(phone)
  await expect(findLead(phone, customer.name)).toBeVisible()
  await expect.poll(() => readableDeviceData(phone)).toContain(customer.name)
  await phone.context().setOffline(true)
  await phone.evaluate((ahead) => {
    const now = Date.now.bind(Date)
    Date.now = () => now() + ahead
  }, 13 * HOUR)
  await lockAndUnlock(phone)
  await expect(phone.getByText(/locked until it reaches the server again/)).toBeVisible()
  await expect(findLead(phone, customer.name)).toHaveCount(0)
})

test('strictest lease setting: an offline start shows nothing', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  await createLead(business, customer)
  const phone = await owner(business)
  await phone.goto('/app/settings/data')
  await phone
    .getByLabel('A phone that was not in contact stays readable for')
    .selectOption({ label: 'Only while the app is open' })
  await expect(phone.getByText(/It closes 5 minutes after the screen is locked/)).toBeVisible()
  await phone.goto('/app/leads')
  await waitForServiceWorker(phone)
  await expect(findLead(phone, customer.name)).toBeVisible()
  // The lease of before is given up with the next one.
  await phone.reload()
  await expect(findLead(phone, customer.name)).toBeVisible()
  await expect.poll(() => readableDeviceData(phone)).not.toContain(customer.name)
  await phone.context().setOffline(true)
  await phone.reload()
  await expect(phone.getByText(/locked until it reaches the server again/)).toBeVisible()
  await expect(findLead(phone, customer.name)).toHaveCount(0)
})
