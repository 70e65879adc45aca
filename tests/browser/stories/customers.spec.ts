// Duplicate customers: found, compared, merged, unmerged and corrected.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/fixtures'

const record = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const card = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })

// The screens are the same at a desk.
test('customers: two records are merged and unmerged', { tag: '@phone' }, async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const ann = buildCustomer({ name: 'Ann Lindqvist' })
  const again = buildCustomer({ name: 'A. Lindqvist', email: '' })
  await createLead(business, ann)
  await createLead(business, again)
  // Their number is another's, the email is Ann's.
  await createLead(business, { ...again, email: ann.email })
  const page = await owner(business)

  await test.step('search by number finds the customer and suggests the duplicate', async () => {
    await page.goto('/app/customers')
    await expect(page.getByRole('link', { name: again.name })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('searchbox', { name: 'Search customers by name, phone or email' }).fill(ann.phone)
    await expect(page.getByText('1 customer found')).toBeVisible()
    await page.getByRole('link', { name: ann.name }).click()
    await expect(record(page, ann.name)).toBeVisible()
    await expect(page.getByText(`Same email: ${ann.email}`)).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
  })

  await test.step('compare and merge', async () => {
    await page.getByRole('button', { name: `Compare with ${again.name}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Are these one person?' })
    await expect(dialog.getByRole('heading', { name: again.name })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Merge the two' }).click()
    await expectToast(page, 'Records merged')
    await expect(card(page, 'Leads').getByRole('listitem')).toHaveCount(2)
    await expect(
      card(page, 'Contact')
        .getByText(`Also ${again.phone}`)
        .or(card(page, 'Contact').getByText(`Also ${ann.phone}`)),
    ).toBeVisible()
  })

  await test.step('unmerge', async () => {
    await page.getByRole('button', { name: 'Separate again' }).click()
    await expectToast(page, 'Separated again')
    await expect(card(page, 'Leads').getByRole('listitem')).toHaveCount(1)
  })

  await test.step('edit the record and add a place', async () => {
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the customer' })
    await dialog.getByLabel('Name').fill('Anna Lindqvist')
    await dialog.getByRole('button', { name: 'Save the customer' }).click()
    await expectToast(page, 'Customer saved')
    await expect(record(page, 'Anna Lindqvist')).toBeVisible()
    await card(page, 'Places').getByRole('button', { name: 'Add place' }).click()
    const place = page.getByRole('dialog', { name: 'Add a place' })
    await place.getByLabel('Address').fill('12 Oak St')
    await place.getByRole('button', { name: 'Save the place' }).click()
    await expectToast(page, 'Place added')
    await expect(card(page, 'Places').getByRole('link', { name: /12 Oak St/ })).toBeVisible()
    await card(page, 'Leads').getByRole('link').click()
    await expect(record(page, 'Anna Lindqvist')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Customer record' })).toBeVisible()
  })
})
