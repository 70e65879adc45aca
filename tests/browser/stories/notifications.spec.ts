// Notifications: position of toasts, the error log after a toast is gone, and tooltips of icons.
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness } from '../support/business'
import { expectToast, logOut } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

const account = (page: Page, name = 'Account and display'): Locator => page.getByRole('button', { name, exact: true })

async function openList(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Account and display/ }).click()
  await page.getByRole('button', { name: /^Notifications/ }).click()
  return page.getByRole('dialog', { name: 'Notifications' })
}

/** The edges of what is on the screen. */
async function edges(of: Locator): Promise<{ top: number; right: number; bottom: number; width: number }> {
  const box = await of.boundingBox()
  if (!box) throw new Error('It is not on the screen')
  return { top: box.y, right: box.x + box.width, bottom: box.y + box.height, width: box.width }
}

test('error log: keeps an error after its toast, until it is cleared', async ({ freshInstall, owner }, { project }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/leads')
  await expect(page.getByText('No leads yet')).toBeVisible()
  // Without a connection, code that is not loaded yet comes from it.
  await waitForServiceWorker(page)
  await page.context().setOffline(true)
  await logOut(page)
  await expectToast(page, 'Error', 'Failed to log out')
  await page.context().setOffline(false)

  await test.step('the toast appears over the bar on a phone and leaves the heading free, bottom right on a desktop', async () => {
    // On the phone the menu covers the page.
    await page.keyboard.press('Escape')
    const toast = page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('listitem')
    const bar = await edges(page.getByRole('banner'))
    const at = await edges(toast)
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    expect(at.width).toBeLessThanOrEqual(420)
    expect(width - at.right).toBeLessThanOrEqual(16)
    if (project.name === 'phone') {
      expect(at.top).toBeLessThanOrEqual(16)
      expect(at.bottom).toBeLessThanOrEqual(bar.bottom + 16)
    } else {
      expect(height - at.bottom).toBeLessThanOrEqual(16)
      expect(at.top).toBeGreaterThanOrEqual(bar.bottom)
    }
    await page.getByRole('button', { name: 'Close notification' }).click()
    await expect(toast).toBeHidden()
  })

  await test.step('the menu counts it, and the log shows it on the next screen', async () => {
    await expect(account(page, 'Account and display, 1 unread notification')).toBeVisible()
    const list = await openList(page)
    await expect(list.getByText('Failed to log out')).toBeVisible()
    await expect(list.getByText('New', { exact: true })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await list.getByRole('button', { name: 'Mark all as read' }).click()
    await expect(account(page)).toBeFocused()
    await page.getByRole('link', { name: 'Inbox' }).filter({ visible: true }).first().click()
    await expect(page).toHaveURL(/\/app\/inbox/)
    // The menu closes with the change of the screen.
    await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()
    await expect((await openList(page)).getByText('Failed to log out')).toBeVisible()
  })

  await test.step('clear the log', async () => {
    await page.getByRole('button', { name: 'Clear the list' }).click()
    await expect((await openList(page)).getByRole('heading', { name: 'Nothing went wrong' })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
  })
})

// A finger points at nothing.
test(
  'icon button: shows its tooltip by pointer and by keyboard',
  { tag: '@desktop' },
  async ({ freshInstall, owner }) => {
    const page = await owner(await registerBusiness(freshInstall))
    await page.goto('/app/leads')
    const words = page.getByRole('tooltip')
    await account(page).hover()
    await expect(words).toHaveText('Account and display')
    expect((await edges(words)).right).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)
    await words.hover()
    await expect(words).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(words).toBeHidden()
    await page.mouse.move(0, 400)
    await account(page).press('Shift+Tab')
    await expect(words).toHaveText(/^Switch to the (dark|light) theme$/)
    await page.keyboard.press('Tab')
    await expect(words).toHaveText('Account and display')
  },
)
