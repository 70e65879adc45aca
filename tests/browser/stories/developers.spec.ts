// API keys: created, used and revoked; and webhooks, to public addresses only.
import { type APIRequestContext, request } from '@playwright/test'
import { registerBusiness } from '../support/business'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/fixtures'

/** A program that knows nothing but the key: no cookie, no page. */
async function program(origin: string, key: string): Promise<APIRequestContext> {
  return request.newContext({ baseURL: origin, extraHTTPHeaders: { Authorization: `Bearer ${key}` } })
}

test('API key: shown once, works for its scopes, and stops working when revoked', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/settings/developers')
  await page.getByRole('button', { name: 'Make a key' }).click()
  const form = page.getByRole('form', { name: 'Key' })
  await form.getByLabel(/^Name of the program/).fill('Bookkeeping')
  await form.getByRole('group', { name: 'It may look at' }).getByRole('checkbox', { name: 'Jobs' }).check()
  await form.getByRole('button', { name: 'Make the key' }).click()
  await expectToast(page, 'Key made')
  const key = await page.getByText(/^tbk_[\w-]{43}$/).innerText()

  const books = await program(new URL(page.url()).origin, key)
  expect((await books.get('/api/jobs')).status()).toBe(200)
  expect((await books.get('/api/invoices')).status()).toBe(403)
  expect((await books.get('/api/team')).status()).toBe(403)

  await page.reload()
  await expect(page.getByRole('list', { name: 'Keys' }).getByText(/^last used/)).toBeVisible()
  await expect(page.getByText(key)).toHaveCount(0)
  await page.getByRole('button', { name: 'Take the key of Bookkeeping away' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it away' }).click()
  await expect(page.getByText('No program has a key.')).toBeVisible()
  expect((await books.get('/api/jobs')).status()).toBe(401)
  await books.dispose()
})

test('webhook: accepts public addresses only, and sends the chosen events', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/settings/developers')
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const form = page.getByRole('form', { name: 'Webhook' })
  await form.getByRole('checkbox', { name: 'A request comes in' }).check()
  for (const [address, why] of [
    ['https://169.254.169.254/', /must lead to the internet/],
    ['http://example.com/', /must begin with https/],
  ] as const) {
    await form.getByLabel(/^Address/).fill(address)
    await form.getByRole('button', { name: 'Add it' }).click()
    await expect(form.getByText(why)).toBeVisible()
  }
  await form.getByLabel(/^Address/).fill('https://hooks.harbor.example/toolbox')
  await form.getByRole('button', { name: 'Add it' }).click()
  await expectToast(page, 'Webhook added')
  await expect(page.getByText(/^whsec_/)).toBeVisible()
  await page.reload()
  await expect(page.getByRole('list', { name: 'Webhooks' }).getByText('A request comes in')).toBeVisible()
  await expect(page.getByText(/^whsec_/)).toHaveCount(0)
})

test('API reference: public, with working links', async ({ freshInstall, visitor }) => {
  const page = await visitor(freshInstall)
  await page.goto('/docs/api')
  await expect(page.getByRole('heading', { level: 1, name: 'Toolbox API' })).toBeVisible()
  const missing = await page
    .locator('a[href^="#"]')
    .evaluateAll((links) =>
      links.map((link) => link.getAttribute('href') ?? '').filter((href) => !document.getElementById(href.slice(1))),
    )
  expect(missing).toEqual([])
})
