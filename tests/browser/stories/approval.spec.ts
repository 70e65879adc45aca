// Estimate approval by link without an account: options, drawn signature, and the owner's view.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { openLead, openTab } from '../support/screens'
import { expect, test } from '../support/fixtures'

/** Two ways to do the work, and something that can be added. */
const OFFER = {
  lines: [
    { id: 'base', name: 'Remove the old heater', unitPrice: 150 },
    { id: 'tank', name: '40 gallon tank', unitPrice: 900, optionId: 'good' },
    { id: 'tankless', name: 'Tankless heater', unitPrice: 2400, optionId: 'better' },
    { id: 'drain', name: 'Drain pan', unitPrice: 80, optional: true },
  ],
  options: [
    { id: 'good', name: 'Good', description: 'Six years of warranty' },
    { id: 'better', name: 'Better', description: 'Endless hot water' },
  ],
  recommended: 'good',
  deposit: { percent: 30 },
  notes: 'We start at 8 in the morning.',
  terms: 'Half now, half when the work is done.',
}

/** Makes the estimate as the owner, and returns the address that the customer gets. */
async function sent(owner: Page, body: object): Promise<string> {
  const lead = new URL(owner.url()).pathname.split('/').at(-1)
  return owner.evaluate(
    async ([id, text]) => {
      const made = await fetch(`/api/leads/${id}/estimate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      if (!made.ok) throw new Error(await made.text())
      const list: { link: string }[] = await (await fetch(`/api/leads/${id}/estimates`)).json()
      return new URL(list[0]?.link ?? '').pathname
    },
    [lead, JSON.stringify(body)] as const,
  )
}

/** Draws a line on the pad. */
async function sign(page: Page): Promise<void> {
  const pad = page.locator('canvas')
  await pad.scrollIntoViewIfNeeded()
  const box = await pad.boundingBox()
  if (!box) throw new Error('there is no pad')
  await page.mouse.move(box.x + 20, box.y + 60)
  await page.mouse.down()
  for (const step of [60, 100, 140, 180]) await page.mouse.move(box.x + step, box.y + 40 + (step % 50))
  await page.mouse.up()
}

test('estimate: read, chosen, signed and approved while the owner watches', async ({ connected, owner, visitor }) => {
  const { install, mailbox } = connected
  const business = await registerBusiness(install)
  const customer = buildCustomer({ name: 'Ana Diaz' })
  await createLead(business, customer)
  const desk = await owner(business)
  await desk.goto('/app/leads')
  await openLead(desk, customer.name)
  const link = await sent(desk, OFFER)

  const phone = await visitor(install)
  const weight: number[] = []
  phone.on(
    'response',
    (response) =>
      void response.body().then(
        (body) => weight.push(body.length),
        () => weight.push(0),
      ),
  )
  await phone.goto(link)
  await expect(phone.getByRole('heading', { level: 1, name: 'Estimate EST-1001' })).toBeVisible()
  await expect(phone.locator('#sums')).toContainText('$1,050.00')
  expect(weight.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(150_000)
  for (const colorScheme of ['light', 'dark'] as const) {
    await phone.emulateMedia({ colorScheme })
    expect(await findAxeViolations(phone)).toEqual([])
  }
  expect(await phone.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)

  await test.step('the total follows the chosen option', async () => {
    await phone.getByRole('radio', { name: /Better/ }).check()
    await expect(phone.locator('#sums')).toContainText('$2,550.00')
    await phone.getByRole('checkbox', { name: /Drain pan/ }).check()
    await expect(phone.locator('#sums')).toContainText('$2,630.00')
    await expect(phone.locator('#sums')).toContainText('$789.00')
  })

  await test.step('a question appears in the inbox', async () => {
    await phone.getByRole('textbox', { name: /straight to us/ }).fill('Does it fit in the closet?')
    await phone.getByRole('button', { name: 'Send the question' }).click()
    await expect(phone.getByText('We have your question')).toBeVisible()
  })

  await test.step('sign and approve', async () => {
    await phone.getByRole('radio', { name: /Better/ }).check()
    await phone.getByLabel('Your full name').fill('Ana Diaz')
    await sign(phone)
    await phone.getByRole('button', { name: 'Undo' }).click()
    await sign(phone)
    await phone.getByRole('checkbox', { name: /I agree/ }).check()
    await phone.getByRole('button', { name: /Approve this estimate/ }).click()
    await expect(phone.getByRole('heading', { name: /Approved by Ana Diaz/ })).toBeVisible()
    expect(await findAxeViolations(phone)).toEqual([])
  })

  await test.step('the owner sees the approval without a reload, and both have the signed copy', async () => {
    await expect(desk.getByText('The estimate is approved')).toBeVisible()
    await openTab(desk, 'Estimate and money')
    await expect(desk.getByText('Approved', { exact: true }).first()).toBeVisible()
    await expect
      .poll(
        () => mailbox.lettersTo(customer.email).filter(({ raw }) => raw.includes('Signed: estimate EST-1001')).length,
      )
      .toBe(1)
    await phone.reload()
    await expect(phone.getByRole('link', { name: 'Open the signed copy' })).toBeVisible()
  })
})

test('estimate without scripts: approved by typing the name', async ({ freshInstall, owner, browser }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Ben Carter' })
  await createLead(business, customer)
  const desk = await owner(business)
  await desk.goto('/app/leads')
  await openLead(desk, customer.name)
  const link = await sent(desk, OFFER)
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: new URL(desk.url()).origin,
    viewport: { width: 320, height: 640 },
  })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('radio', { name: /Better/ }).check()
  await page.getByRole('button', { name: 'Show the new total' }).click()
  await expect(page.locator('#sums')).toContainText('$2,550.00')
  await page.getByLabel('Your full name').fill('Ben Carter')
  await page.getByRole('checkbox', { name: /I agree/ }).check()
  await page.getByRole('button', { name: /Approve this estimate/ }).click()
  await expect(page.getByRole('heading', { name: /Approved by Ben Carter/ })).toBeVisible()
  await context.close()
})
