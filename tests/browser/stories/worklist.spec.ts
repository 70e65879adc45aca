// The worklist: the first part of the dashboard, marked by buttons and keys, with an undo; other screens follow.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { createLead, registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { expect, test } from '../support/fixtures'

const list = (page: Page) => page.getByRole('region', { name: 'Next up' })
const row = (page: Page, name: string) => list(page).getByRole('link', { name, exact: true })
const badge = (page: Page) =>
  page
    .getByRole('link', { name: /^(?:Dashboard|Home)/ })
    .filter({ visible: true })
    .first()

test('worklist: a request is marked as done, undone, snoozed, and every number agrees', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/app')
  await expect(page.getByRole('heading', { name: "You're all caught up" })).toBeVisible()
  await createLead(business, buildCustomer({ name: 'Nora Field' }))
  await createLead(business, buildCustomer({ name: 'Otto Brand' }))
  await expect(row(page, 'Nora Field')).toBeVisible()
  await expect(row(page, 'Otto Brand')).toBeVisible()
  await expect(list(page).getByText(/^2 waiting/)).toBeVisible()
  await expect(badge(page)).toContainText('2')
  expect(await findAxeViolations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)

  await list(page).getByRole('button', { name: 'Mark as done: Nora Field' }).click()
  await expect(row(page, 'Nora Field')).toBeHidden()
  await expect(badge(page)).toContainText('1')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'Nora Field')).toBeVisible()
  await expect(badge(page)).toContainText('2')

  await list(page).getByRole('button', { name: 'Snooze: Otto Brand' }).click()
  await page.getByRole('dialog', { name: 'Snooze Otto Brand' }).getByRole('button', { name: '1 hour' }).click()
  await expect(row(page, 'Otto Brand')).toBeHidden()
  await expect(list(page).getByText(/^1 waiting/)).toBeVisible()
  await list(page).getByRole('tab', { name: 'Snoozed' }).click()
  await expect(row(page, 'Otto Brand')).toBeVisible()
  await list(page).getByRole('button', { name: 'Bring back: Otto Brand' }).click()
  await expect(badge(page)).toContainText('2')
})

// A phone has no keys.
test('worklist: keys mark the row with the focus', { tag: '@desktop' }, async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  await createLead(business, buildCustomer({ name: 'Nora Field' }))
  await createLead(business, buildCustomer({ name: 'Otto Brand' }))
  const page = await owner(business)
  await page.goto('/app')
  const action = (name: string) => list(page).getByRole('link', { name: `Answer: ${name}` })
  await action('Nora Field').focus()
  await page.keyboard.press('j')
  await expect(action('Otto Brand')).toBeFocused()
  await page.keyboard.press('e')
  await expect(row(page, 'Otto Brand')).toBeHidden()
  await expect(page.getByText('Marked as done')).toBeVisible()
  await expect(action('Nora Field')).toBeFocused()
  await page.keyboard.press('z')
  await expect(row(page, 'Otto Brand')).toBeVisible()
  await action('Nora Field').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Text message' })).toBeFocused()
})
