// What a phone keeps for working offline: ciphertext, readable as long as its lease runs and its session stands.
import type { Page } from '@playwright/test'
import { openBusiness, putLead } from '../support/business'
import { bytesOnDevice, keptOnDevice } from '../support/device'
import { aCustomer } from '../support/people'
import { leadInList } from '../support/screens'
import { underServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/story'

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

test('a phone whose session ended while it was offline shows nothing once its lease is over', async ({
  bare,
  owner,
  opened,
}) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  await putLead(business, customer)
  const phone = await owner(business)
  await phone.goto('/app/leads')
  await underServiceWorker(phone)
  await expect(leadInList(phone, customer.name)).toBeVisible()

  await test.step('what lies on the device is ciphertext', async () => {
    await expect.poll(() => keptOnDevice(phone)).toContain(customer.name)
    const bytes = await bytesOnDevice(phone)
    for (const trace of [customer.name, customer.e164, customer.email, customer.notes])
      expect(bytes).not.toContain(trace)
  })

  await test.step('within the lease it works without a network, screen lock or not', async () => {
    await phone.context().setOffline(true)
    await lockAndUnlock(phone)
    await phone.reload()
    await expect(leadInList(phone, customer.name)).toBeVisible()
  })

  await test.step('signed out by its owner from elsewhere, and over the lease, it shows nothing', async () => {
    const desk = await opened({ baseURL: bare.url })
    const { email, password } = business.owner
    const origin = { Origin: bare.url, 'X-Toolbox-Client': 'story' }
    expect((await desk.request.post('/api/auth/login', { data: { email, password }, headers: origin })).status()).toBe(
      200,
    )
    expect((await desk.request.delete('/api/account/devices', { headers: origin })).status()).toBe(204)

    await setClockAhead(phone, 13 * HOUR)
    await phone.reload()
    await expect(phone.getByText(/locked until it reaches the server again/)).toBeVisible()
    await expect(leadInList(phone, customer.name)).toHaveCount(0)
    const left = await keptOnDevice(phone)
    for (const trace of [customer.name, customer.e164, customer.email]) expect(left).not.toContain(trace)
  })

  await test.step('with a network again it is asked to sign in, and its copies are gone', async () => {
    await phone.context().setOffline(false)
    await phone.goto('/app/leads')
    await expect(phone).toHaveURL(/\/login/)
    await expect.poll(() => bytesOnDevice(phone)).not.toContain(`toolbox:${business.orgId}`)
  })
})

test('a page that stands open closes when the lease ends without a network', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  await putLead(business, customer)
  const phone = await owner(business)
  await phone.goto('/app/leads')
  await underServiceWorker(phone)
  await expect(leadInList(phone, customer.name)).toBeVisible()
  await expect.poll(() => keptOnDevice(phone)).toContain(customer.name)
  await phone.context().setOffline(true)
  await phone.evaluate((ahead) => {
    const now = Date.now.bind(Date)
    Date.now = () => now() + ahead
  }, 13 * HOUR)
  await lockAndUnlock(phone)
  await expect(phone.getByText(/locked until it reaches the server again/)).toBeVisible()
  await expect(leadInList(phone, customer.name)).toHaveCount(0)
})

test('with the strictest setting a start without a network shows nothing at all', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  await putLead(business, customer)
  const phone = await owner(business)
  await phone.goto('/app/settings?tab=control-panel')
  await phone
    .getByLabel('A phone that was not in contact stays readable for')
    .selectOption({ label: 'Only while the app is open' })
  await expect(phone.getByText(/It closes 5 minutes after the screen is locked/)).toBeVisible()
  await phone.goto('/app/leads')
  await underServiceWorker(phone)
  await expect(leadInList(phone, customer.name)).toBeVisible()
  // The lease of before is given up with the next one.
  await phone.reload()
  await expect(leadInList(phone, customer.name)).toBeVisible()
  await expect.poll(() => keptOnDevice(phone)).not.toContain(customer.name)
  await phone.context().setOffline(true)
  await phone.reload()
  await expect(phone.getByText(/locked until it reaches the server again/)).toBeVisible()
  await expect(leadInList(phone, customer.name)).toHaveCount(0)
})
