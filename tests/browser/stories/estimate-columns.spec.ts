// An estimate with options in columns: copied, dragged, and sent.
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { createLead, registerBusiness } from '../support/business'
import { expect, test } from '../support/fixtures'
import { buildCustomer } from '../support/people'
import { expectToast, openLead, openQuickAction, openTab } from '../support/screens'

/** From here on the options are beside each other. */
const WIDE_PX = 1024

async function dragTo(page: Page, handle: Locator, target: Locator): Promise<void> {
  await handle.scrollIntoViewIfNeeded()
  const [from, to] = [await handle.boundingBox(), await target.boundingBox()]
  if (!from || !to) throw new Error('Nothing to drag')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + 30, { steps: 8 })
  await page.mouse.up()
}

test('estimate with options: the second is a copy with another price', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Grace Lindholm' })
  await createLead(business, customer)
  const page = await owner(business)
  const isWide = (page.viewportSize()?.width ?? 0) >= WIDE_PX
  await page.goto('/app/leads')
  await openLead(page, customer.name)
  await openQuickAction(page, 'Generate Estimate PDF')
  const dialog = page.getByRole('dialog', { name: 'Generate Estimate PDF' })
  await dialog.getByRole('switch', { name: 'Line items' }).check()
  await expect(dialog.getByLabel('What')).toBeFocused()
  await page.keyboard.type('Water heater')
  await page.keyboard.press('Enter')
  await page.keyboard.type('1200')
  await dialog.getByRole('button', { name: 'Add option' }).click()
  const option = (name: string) => dialog.getByRole(isWide ? 'region' : 'tabpanel', { name, exact: true })
  await expect(option('Better').getByLabel('Price each')).toBeFocused()
  await page.keyboard.type('1620')
  await expect(option('Better').getByText('+$420 compared with Good')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])

  if (isWide)
    await test.step('a line is dragged to the other option', async () => {
      await option('Good').getByRole('button', { name: 'Add line' }).click()
      await page.keyboard.type('Drain pan')
      await page.keyboard.press('Enter')
      await page.keyboard.type('80')
      await dragTo(
        page,
        option('Good').getByRole('button', { name: 'Drag line 2' }),
        option('Better').getByRole('listitem'),
      )
      await expect(option('Better').getByLabel('What')).toHaveCount(2)
      await expect(option('Good').getByLabel('What')).toHaveCount(1)
    })
  else
    await test.step('the pages follow the tabs', async () => {
      await dialog.getByRole('tab', { name: 'Good $1,200' }).click()
      await expect(option('Good').getByLabel('Price each')).toBeInViewport()
      await expect(option('Better').getByLabel('Price each')).not.toBeInViewport()
    })

  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: /^Send by .* to Grace$/ }).click()
  await download
  await expectToast(page, 'Estimate Generated')
  await openTab(page, 'Estimate and money')
  await expect(page.getByText(isWide ? '$1,700' : '$1,620').first()).toBeVisible()
})
