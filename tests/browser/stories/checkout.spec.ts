// From asking for a demo to a subscription of one's own: without keys of Stripe's, and with them.
import type { Page } from '@playwright/test'
import { findings } from '../support/axe'
import { House } from '../support/house'
import { lettersIn } from '../support/letters'
import { anOwner, type Owner } from '../support/people'
import { Stripe } from '../support/providers'
import { expectToast, fillRegistration, signIn } from '../support/screens'
import { expect, test } from '../support/story'

/** What the page uses of Stripe's script, drawn as one line: the real one comes from Stripe, and asks for a card. */
const FORM = `globalThis.Stripe = () => ({
  elements: () => ({ create: () => {
    const told = {}
    return { on: (event, tell) => { told[event] = tell }, destroy: () => {}, mount: (place) => { place.textContent = 'Card'; told.ready() } }
  } }),
  confirmPayment: async () => ({ paymentIntent: { status: 'succeeded' } }),
})`

async function asks(page: Page, { orgName, name, email }: Owner): Promise<void> {
  await page.goto('/checkout')
  await expect(page.getByRole('heading', { level: 1, name: 'Request a Demo' })).toBeVisible()
  await page.getByLabel('Business Name').fill(orgName)
  await page.getByLabel('Your Name').fill(name)
  await page.getByLabel('Phone Number').fill('(312) 555-0188')
  await page.getByLabel('Email Address').fill(email)
  await page.getByLabel('Industry').fill('Roofing')
  await page.getByRole('button', { name: 'Request A Demo' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Complete Your Setup' })).toBeVisible()
}

test('without keys of Stripe’s the request is taken, and the page says how it goes on', async ({ bare, visitor }) => {
  const page = await visitor(bare)
  await page.goto('/checkout')
  await page.getByRole('button', { name: 'Request A Demo' }).click()
  await expect(page.getByText('Business name is required')).toBeVisible()
  expect(await findings(page)).toEqual([])
  await asks(page, anOwner())
  for (const words of ['$2,500.00', '$350.00', '$2,850.00']) await expect(page.getByText(words, { exact: true })).toBeVisible()
  await expect(page.getByText('Payment processing is not configured yet. Please contact support to complete your setup.')).toBeVisible()
  expect(await findings(page)).toEqual([])
})

test('with them a visitor pays, opens the letter, and has the subscription', async ({ visitor }) => {
  const stripe = await Stripe.start()
  const house = await House.start({ ...stripe.variables, SUPPORT_EMAIL: 'help@toolbox.example' })
  try {
    const owner = anOwner()
    const page = await visitor(house)
    await page.route('https://js.stripe.com/**', (route) => route.fulfill({ contentType: 'text/javascript', body: FORM }))
    await asks(page, owner)
    await expect(page.getByText('Payment processing is not configured yet.')).toHaveCount(0)
    await page.getByRole('button', { name: 'Pay $2,850.00' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Thank you: your payment has arrived' })).toBeVisible()
    expect(await findings(page)).toEqual([])
    expect(await stripe.isPaid(house)).toBe(285_000)

    await expect.poll(async () => (await lettersIn(house, owner.email)).length).toBe(1)
    const [letter] = await lettersIn(house, owner.email)
    const whole = letter?.text.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? ''
    const link = /\/app\/billing\?claim=[\w-]+/.exec(whole)?.[0] ?? ''
    await page.goto('/register')
    await fillRegistration(page, owner)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL(/\/login$/)
    await page.goto(link)
    await signIn(page, owner)
    await expectToast(page, 'Your subscription is set up')
    await expect(page).toHaveURL(/\/app\/billing$/)
    await expect(page.getByText('Active', { exact: true })).toBeVisible()
    await expect(page.getByText(/ending in 4242/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'help@toolbox.example' })).toBeVisible()
    expect(await findings(page)).toEqual([])

    await page.getByRole('button', { name: 'Cancel Subscription' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel your subscription?' })
    await expect(dialog.getByText(/^With 30 days’ notice it ends on/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel Subscription' }).click()
    await page.getByRole('button', { name: 'Keep Subscription' }).click()
    await expect(page.getByRole('button', { name: 'Cancel Subscription' })).toBeVisible()
  } finally {
    await house.stop()
    await stripe.stop()
  }
})
