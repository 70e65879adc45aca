// From a demo request to a subscription, without and with Stripe keys.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { readStoredZip } from '../support/zip'
import { findAxeViolations } from '../support/axe'
import { savedEmailsTo, decodeEmailText } from '../support/saved-emails'
import { buildOwner, type Owner } from '../support/people'
import { expectToast, fillDemoRequest, fillRegistration, signIn } from '../support/screens'
import { expect, test } from '../support/fixtures'

/** What the page uses of Stripe's script, drawn as one line: the real one comes from Stripe, and asks for a card. The first card is refused. */
const FORM = `globalThis.Stripe = () => {
  let isFirst = true
  return {
    elements: () => ({ create: () => {
      const listeners = {}
      return { on: (event, tell) => { listeners[event] = tell }, destroy: () => {}, mount: (place) => { place.textContent = 'Card'; listeners.ready() } }
    } }),
    confirmPayment: async () => {
      const answer = isFirst ? { error: { message: 'Your card was declined.' } } : { paymentIntent: { status: 'succeeded' } }
      isFirst = false
      return answer
    },
  }
}`
const DAY_MS = 24 * 60 * 60_000

async function asks(page: Page, owner: Owner): Promise<void> {
  await page.goto('/checkout')
  await expect(page.getByRole('heading', { level: 1, name: 'Request a Demo' })).toBeVisible()
  await fillDemoRequest(page, owner)
  await expect(page.getByRole('heading', { level: 1, name: 'Complete Your Setup' })).toBeVisible()
}

test('checkout without Stripe keys: takes the request and explains the next steps', async ({
  freshInstall,
  visitor,
}) => {
  const page = await visitor(freshInstall)
  await asks(page, buildOwner())
  for (const words of ['$2,500.00', '$350.00', '$2,850.00'])
    await expect(page.getByText(words, { exact: true })).toBeVisible()
  await expect(
    page.getByText('Payment processing is not configured yet. Please contact support to complete your setup.'),
  ).toBeVisible()
  await expect(page.getByText(/^We have your request, reference \w+\.$/)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Pay / })).toHaveCount(0)
})

/** The day so many days from now, as the business reads it. */
const inDays = (days: number) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'America/Chicago' }).format(
    new Date(Date.now() + days * DAY_MS),
  )

test('checkout with Stripe keys: a visitor pays, follows the email and becomes a customer', async ({
  ownStripe: stripe,
  startInstall,
  visitor,
}) => {
  const install = await startInstall({ ...stripe.variables, SUPPORT_EMAIL: 'help@toolbox.example' })
  const owner = buildOwner()
  const page = await visitor(install)

  await test.step('a declined card costs nothing, the next card pays', async () => {
    await page.route('https://js.stripe.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: FORM }),
    )
    await asks(page, owner)
    await expect(page.getByText('Payment processing is not configured yet.')).toHaveCount(0)
    const pay = page.getByRole('button', { name: 'Pay $2,850.00' })
    await pay.click()
    await expect(page.getByText('Your card was declined.')).toBeVisible()
    await pay.click()
    await expect(page.getByRole('heading', { level: 1, name: 'Thank you: your payment has arrived' })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    expect(await stripe.isPaid(install)).toBe(285_000)
  })

  await test.step('the emailed link assigns the subscription to the business', async () => {
    await expect.poll(async () => (await savedEmailsTo(install, owner.email)).length).toBe(1)
    const [letter] = await savedEmailsTo(install, owner.email)
    const link = /\/app\/billing\?claim=[\w-]+/.exec(decodeEmailText(letter?.text ?? ''))?.[0] ?? ''
    await page.goto('/register')
    await fillRegistration(page, owner)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL(/\/login$/)
    await page.goto(link)
    await signIn(page, owner)
    await expectToast(page, 'Your subscription is set up')
    // The key is not left in the browser history.
    await expect(page).toHaveURL(/\/app\/billing$/)
  })

  await test.step('billing shows plan, card, features and support contact', async () => {
    await expect(page.getByText('Active', { exact: true })).toBeVisible()
    await expect(page.getByText('$350 a month')).toBeVisible()
    await expect(page.getByText(`Next billing on ${inDays(30)}.`)).toBeVisible()
    await expect(page.getByText(/ending in 4242/)).toBeVisible()
    for (const feature of [
      'Lead Intake Hub',
      'Auto-Reply + Scheduling',
      'Quote & Job Tracker',
      'Review Booster',
      'Owner KPI Pulse',
      'Unlimited Usage',
    ])
      await expect(page.getByText(feature, { exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'help@toolbox.example' })).toHaveAttribute(
      'href',
      'mailto:help@toolbox.example',
    )
    expect(await findAxeViolations(page)).toEqual([])
  })

  await test.step('invoices download as a zip of PDFs', async () => {
    await expect(
      page
        .getByRole('table', { name: 'Invoices for Toolbox, newest first' })
        .getByRole('row', { name: /TB-0001.*Paid.*\$2,850\.00/ }),
    ).toBeVisible()
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download Invoices' }).click()
    const arrived = await file
    expect(arrived.suggestedFilename()).toMatch(/^toolbox-invoices-\d{4}-\d\d-\d\d\.zip$/)
    const papers = readStoredZip(await readFile(await arrived.path()))
    expect([...papers.keys()]).toEqual([expect.stringMatching(/TB-0001.*\.pdf$/)])
    expect([...papers.values()][0]?.toString()).toMatch(/^%PDF-/)
  })

  await test.step('cancel with 30 days’ notice, then resume', async () => {
    await page.getByRole('button', { name: 'Cancel Subscription' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel your subscription?' })
    await expect(dialog.getByText(`With 30 days’ notice it ends on ${inDays(30)}.`, { exact: false })).toBeVisible()
    await expect(dialog.getByRole('link', { name: 'Download everything' })).toHaveAttribute(
      'href',
      '/api/organization/export',
    )
    await dialog.getByRole('button', { name: 'Cancel Subscription' }).click()
    await expectToast(page, 'Subscription cancelled')
    await expect(page.getByText('Cancelled', { exact: true })).toBeVisible()
    await page.reload()
    await expect(page.getByText(`Everything goes on until ${inDays(30)}. Until then you can undo this.`)).toBeVisible()
    await page.getByRole('button', { name: 'Keep Subscription' }).click()
    await expectToast(page, 'Your subscription continues')
    await page.reload()
    await expect(page.getByText('Active', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Cancel Subscription' })).toBeVisible()
  })

  await test.step('card and invoices open in Stripe’s portal', async () => {
    await page.route('https://billing.stripe.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Stripe</h1>' }),
    )
    await page.getByRole('button', { name: 'Manage Subscription' }).click()
    await expect(page).toHaveURL('https://billing.stripe.example/p/session/cus_1')
  })
})
