// Estimate to payment, as the owner sees it.
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import { expectToast, openLead, openQuickAction, openTab } from '../support/screens'
import { expect, test } from '../support/fixtures'

const card = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })
const stage = (page: Page, name: string): Locator =>
  page
    .locator('header')
    .filter({ has: page.getByRole('heading', { level: 1 }) })
    .getByText(name, { exact: true })

async function openDialog(page: Page, action: 'Generate Estimate PDF' | 'Mark as Paid'): Promise<Locator> {
  await openQuickAction(page, action)
  const dialog = page.getByRole('dialog', { name: action })
  await expect(dialog.getByLabel('Amount')).toBeFocused()
  return dialog
}

/** Types the amount and takes the file that comes. */
async function generate(page: Page, amount: string): Promise<{ name: string; bytes: Buffer }> {
  const dialog = await openDialog(page, 'Generate Estimate PDF')
  await dialog.getByLabel('Amount').fill(amount)
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Generate Estimate PDF' }).click()
  const file = await download
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

test('estimate to payment: amount, PDF, email, invoice, payment', async ({ connected, owner, visitor }) => {
  const { install, mailbox } = connected
  const business = await registerBusiness(install)
  const customer = buildCustomer({ name: 'Ana Diaz' })
  await createLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await openLead(page, customer.name)
  await expect(stage(page, 'New')).toBeVisible()
  await openTab(page, 'Jobs')
  await expect(card(page, 'Job Progress').getByText('Not quoted')).toBeVisible()

  await test.step('an invalid amount is refused', async () => {
    const dialog = await openDialog(page, 'Generate Estimate PDF')
    await dialog.getByLabel('Amount').fill('0')
    await dialog.getByRole('button', { name: 'Generate Estimate PDF' }).click()
    await expectToast(page, 'Invalid Amount', 'Please enter a valid estimate amount')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('the PDF downloads under the lead’s name, and the customer receives it by email', async () => {
    const file = await generate(page, '1,250')
    expect(file.name).toBe('Ana Diaz - Estimate EST-1001.pdf')
    expect(file.bytes.subarray(0, 5).toString()).toBe('%PDF-')
    await expectToast(page, 'Estimate Generated')
    await expect(stage(page, 'Quoted')).toBeVisible()
    await expect(card(page, 'Job Progress').getByText('$1,250', { exact: true })).toBeVisible()
    await openTab(page, 'Estimate and money')
    await expect(card(page, 'Estimates').getByRole('heading', { name: 'EST-1001' })).toBeVisible()
    await expect(card(page, 'Estimates').getByText('Open', { exact: true })).toBeVisible()
    await openTab(page, 'History')
    await expect(card(page, 'What happened').getByText('Estimate sent', { exact: true })).toBeVisible()
    await expect
      .poll(
        () =>
          mailbox
            .lettersTo(customer.email)
            .filter(({ raw }) => raw.includes('EST-1001') && raw.includes('application/pdf')).length,
      )
      .toBe(1)
  })

  await test.step('a partial payment asks for confirmation and leaves the rest open', async () => {
    const dialog = await openDialog(page, 'Mark as Paid')
    await dialog.getByLabel('Amount').fill('350')
    await dialog.getByRole('radio', { name: 'Check' }).check()
    await dialog.getByRole('button', { name: 'Mark as Paid' }).click()
    await expect(dialog.getByText('$900.00 of $1,250.00 would stay open.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Record partial payment' }).click()
    await expectToast(page, 'Payment Recorded', '$350.00 recorded, $900.00 still open.')
    // Not approved yet: no debt.
    await openTab(page, 'Estimate and money')
    await expect(card(page, 'Money').getByText('Quoted and not paid')).toBeVisible()
    await expect(card(page, 'Money').getByText('$900.00')).toBeVisible()
    await expect(stage(page, 'Quoted')).toBeVisible()
  })

  await test.step('the invoice is drafted, reviewed and sent with the earlier payment', async () => {
    await card(page, 'Invoices').getByRole('button', { name: 'New invoice' }).click()
    const dialog = page.getByRole('dialog', { name: 'New invoice' })
    await expect(dialog.getByRole('radio', { name: 'All of it $1,250.00' })).toBeChecked()
    await dialog.getByRole('button', { name: 'Make draft' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Draft invoice' })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Send invoice' }).click()
    const sending = page.getByRole('dialog', { name: 'Send this invoice' })
    await sending.getByRole('button', { name: 'Send invoice' }).click()
    await expectToast(page, 'Invoice sent')
    await expect(page.getByRole('heading', { level: 1, name: 'INV-1001' })).toBeVisible()
    await expect(page.getByText('$900.00 open')).toBeVisible()
    await expect(card(page, 'Payments').getByText('$350.00').first()).toBeVisible()
    await expect
      .poll(
        () =>
          mailbox
            .lettersTo(customer.email)
            .filter(({ raw }) => raw.includes('INV-1001') && raw.includes('application/pdf')).length,
      )
      .toBe(1)
  })

  await test.step('the customer opens the invoice link, and the business sees that', async () => {
    const link = await page.evaluate(async () => {
      const answer = await fetch(`/api/invoices/${location.pathname.split('/').at(-1)}`)
      const { link: address } = (await answer.json()) as { link: string }
      return new URL(address).pathname
    })
    const customers = await visitor(install)
    await customers.goto(link)
    await expect(customers.getByRole('heading', { level: 1, name: 'Invoice INV-1001' })).toBeVisible()
    await expect(customers.getByText('$900.00').first()).toBeVisible()
    await expect(card(page, 'Invoice').getByText('Not yet', { exact: true })).toBeHidden()
  })

  await test.step('the payment marks invoice and lead paid', async () => {
    await page.getByRole('button', { name: 'Record payment' }).click()
    const dialog = page.getByRole('dialog', { name: 'Payment of INV-1001' })
    await expect(dialog.getByLabel('Amount')).toHaveValue('900.00')
    await dialog.getByRole('button', { name: 'Record payment' }).click()
    await expectToast(page, 'Payment Recorded', 'Everything is paid.')
    await expect(page.getByRole('main').locator('header').getByText('Paid', { exact: true })).toBeVisible()
    await card(page, 'Invoice').getByRole('link', { name: customer.name }).click()
    await expect(stage(page, 'Paid')).toBeVisible()
    await openTab(page, 'Estimate and money')
    await expect(card(page, 'Invoices').getByText('Paid', { exact: true })).toBeVisible()
    await openTab(page, 'Details')
    const information = card(page, 'Lead Information')
    await expect(information.getByText('Paid date')).toBeVisible()
    await expect(information.getByText('$1,250', { exact: true })).toBeVisible()
  })

  await test.step('a payment undone within the minute is open again', async () => {
    await openTab(page, 'Estimate and money')
    const payments = card(page, 'Money').getByRole('list', { name: 'Payments' })
    await payments.getByRole('listitem').filter({ hasText: '$900.00' }).getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, 'Payment undone')
    await expect(stage(page, 'Quoted')).toBeVisible()
  })
})

test('estimate: withdrawn with a reason', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Ben Carter' })
  await createLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await openLead(page, customer.name)
  await generate(page, '480')
  await expectToast(page, 'Estimate Generated')
  await openTab(page, 'Estimate and money')
  const estimates = card(page, 'Estimates')
  await estimates.getByRole('button', { name: 'Withdraw' }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw EST-1001?' })
  await dialog.getByLabel('Reason').fill('Wrong roof')
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await expectToast(page, 'Estimate withdrawn')
  await expect(estimates.getByText('Withdrawn', { exact: true })).toBeVisible()
  await expect(stage(page, 'New')).toBeVisible()
  await openTab(page, 'History')
  await expect(card(page, 'What happened').getByText('EST-1001, Wrong roof')).toBeVisible()
})

test('document settings: appear on new documents', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Grace Lindholm' })
  await createLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/settings/estimates')
  const papers = page.getByRole('form', { name: 'Estimates and invoices' })
  await page.getByLabel('Logo file').setInputFiles([await drawPicture(page, 'logo.png')])
  await expect(page.getByRole('img', { name: 'Your logo' })).toBeVisible()
  await expect
    .poll(() => page.getByRole('img', { name: 'Your logo' }).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)
  await papers.getByLabel('License line').fill('Licensed, IL 055-012345')
  await papers.getByLabel('Before the number').fill('Q-')
  await papers.getByRole('radio', { name: 'A share of the total' }).check()
  await papers.getByRole('textbox', { name: 'Share' }).fill('30')
  await papers.getByLabel('Name of the tax').fill('Sales tax')
  await papers.getByLabel('Percent', { exact: true }).fill('8.25')
  await papers.getByRole('button', { name: 'Add tax' }).click()
  await papers.getByLabel('On a new line').selectOption('Sales tax')
  await expectToast(page, 'Settings Updated', 'Your organization settings have been saved')
  await expect(papers.getByText('Saved: Sales tax', { exact: true })).toBeVisible()
  await page.reload()
  await expect(papers.getByLabel('License line')).toHaveValue('Licensed, IL 055-012345')
  await expect(papers.getByRole('textbox', { name: 'Share' })).toHaveValue('30')

  await test.step('imported price book items appear on documents', async () => {
    await page.goto('/app/settings/price-book')
    await page.getByRole('button', { name: 'Import CSV' }).click()
    const importing = page.getByRole('dialog', { name: 'Import a price list' })
    await importing.getByLabel('Price list file').setInputFiles([
      {
        name: 'prices.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Item,Rate,SKU\nShingles,99.95,SH-1\nGold,much,AU\n'),
      },
    ])
    await expect(importing.getByText('One row is left out')).toBeVisible()
    await importing.getByRole('button', { name: 'Import 1 item' }).click()
    await expectToast(page, 'Price list imported', '1 added, 0 changed.')
    await expect(page.getByRole('list', { name: 'Price book' }).getByText('SH-1')).toBeVisible()
  })

  await page.goto('/app/leads')
  await openLead(page, customer.name)
  const dialog = await openDialog(page, 'Generate Estimate PDF')
  await dialog.getByRole('switch', { name: 'Line items' }).check()
  await dialog.getByRole('button', { name: 'From the price book' }).click()
  const book = page.getByRole('dialog', { name: 'From the price book' })
  await book.getByRole('button', { name: /^Shingles/ }).click()
  await book.getByRole('button', { name: 'Done, 1 added' }).click()
  await expect(dialog.getByLabel('Price each')).toHaveValue('99.95')
  await dialog.getByLabel('Quantity').fill('1.5')
  // 149.925 is 149.93; 8.25 % of that is 12.37.
  await expect(dialog.getByText('$162.30')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: /^Send by .* to Grace$/ }).click()
  expect((await download).suggestedFilename()).toBe('Grace Lindholm - Estimate Q-1001.pdf')
  await openTab(page, 'Estimate and money')
  const estimates = card(page, 'Estimates')
  await expect(estimates.getByText('$162.30')).toBeVisible()
  await expect(estimates.getByText('Deposit of $48.69 due on approval')).toBeVisible()
})
