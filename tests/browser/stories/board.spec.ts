// The board of leads: cards moved by dragging and by menu, undone, and moved back with a reason.
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/fixtures'

const column = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

/** Takes the card by the mouse and holds it over the point. */
async function carry(page: Page, card: Locator, [x, y]: readonly [number, number]): Promise<void> {
  const from = await card.boundingBox()
  if (!from) throw new Error('There is nothing to drag')
  await page.mouse.move(from.x + 12, from.y + from.height - 8)
  await page.mouse.down()
  await page.mouse.move(x, y, { steps: 6 })
}

// A mouse belongs to a desk.
test(
  'lead board: moves a lead by mouse and by menu, and scrolls at the edges',
  { tag: '@desktop' },
  async ({ freshInstall, owner }) => {
    const business = await registerBusiness(freshInstall)
    await createLead(business, buildCustomer({ name: 'Nora Field' }))
    const page = await owner(business)
    // Narrow enough that the last columns lie beyond the edge.
    await page.setViewportSize({ width: 1030, height: 800 })
    await page.goto('/app/leads?view=board')
    const card = (stage: string) => column(page, stage).getByRole('listitem').filter({ hasText: 'Nora Field' })
    const middle = async (stage: string): Promise<[number, number]> => {
      const box = await column(page, stage).boundingBox()
      if (!box) throw new Error(`There is no column ${stage}`)
      return [box.x + box.width / 2, box.y + box.height / 2]
    }
    await expect(card('New')).toBeVisible()

    await test.step('dragging at the edge reveals the last column; Paid asks for a payment', async () => {
      const [, y] = await middle('New')
      await expect(column(page, 'Paid')).not.toBeInViewport({ ratio: 0.9 })
      await carry(page, card('New'), [1015, y])
      await expect(column(page, 'Paid')).toBeInViewport({ ratio: 0.9 })
      await page.keyboard.press('Escape')
      await page.mouse.up()
      await expect(card('New')).toBeAttached()
    })

    await test.step('drag to Quoted, then undo', async () => {
      await card('New').scrollIntoViewIfNeeded()
      await carry(page, card('New'), await middle('Quoted'))
      await expect(page.getByText('To Quoted')).toBeVisible()
      await page.mouse.up()
      await expectToast(page, 'Moved to Quoted', 'Nora Field')
      await expect(card('Quoted')).toBeVisible()
      await page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('button', { name: 'Undo' }).click()
      await expectToast(page, 'Undone')
      await expect(card('New')).toBeVisible()
    })

    await test.step('move by menu; moving back asks for a reason', async () => {
      await page.getByRole('button', { name: 'Move Nora Field' }).click()
      const menu = page.getByRole('dialog', { name: 'Move Nora Field', exact: true })
      await expect(menu.getByText('First put it to Scheduled: only scheduled work can be Done.')).toBeVisible()
      expect(await findAxeViolations(page)).toEqual([])
      await menu.getByRole('button', { name: 'Quoted' }).click()
      await expectToast(page, 'Moved to Quoted', 'Nora Field')
      await page.getByRole('button', { name: 'Move Nora Field' }).click()
      await menu.getByRole('button', { name: 'New' }).click()
      const asked = page.getByRole('dialog', { name: 'Move Nora Field to New' })
      await asked.getByRole('button', { name: 'Move back' }).click()
      await expect(asked.getByText('Please say why it goes back, in a few words')).toBeVisible()
      await asked.getByLabel(/^Why does it go back/).fill('Wants another offer')
      await asked.getByRole('button', { name: 'Move back' }).click()
      await expectToast(page, 'Moved to New', 'Nora Field')
      await expect(card('New')).toBeVisible()
    })
  },
)
