// The public site: every page on phones and desktops, in both themes, without
// scripts; signed-in users get the app at the same address.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness } from '../support/business'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

const PAGES = ['/', '/faq', '/privacy', '/terms', '/sms-terms']
/** Drawn by the server too, and as good to read. */
const REFERENCE = '/docs/api'
const HEADLINE = '5 Automation Tools, One Powerful Toolbox'

async function fitsTheScreen(
  page: Page,
  path: string,
  schemes: readonly ('light' | 'dark')[] = ['light', 'dark'],
): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    expect(await findAxeViolations(page), `${path} in ${colorScheme}`).toEqual([])
  }
  const tooWide = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1 && !one.matches('.skip'))
      .map((one) => one.className || one.tagName),
  )
  expect(tooWide, path).toEqual([])
}

test('public site: every page fits any screen in both themes', async ({ freshInstall, visitor }) => {
  test.setTimeout(120_000)
  const page = await visitor(freshInstall)
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await fitsTheScreen(page, path)
  }
})

// It is long, and drawn by the same stylesheet: its colours by night and the desk are looked at above.
test('API reference: fits a phone in both themes', { tag: '@phone' }, async ({ freshInstall, visitor }) => {
  const page = await visitor(freshInstall)
  await page.goto(REFERENCE)
  await expect(page.getByRole('heading', { level: 1, name: 'Toolbox API' })).toBeVisible()
  await fitsTheScreen(page, REFERENCE, ['light'])
})

// The same on any screen.
test('public site: needs one request and no script', { tag: '@phone' }, async ({ freshInstall, openPage }) => {
  const page = await openPage({ baseURL: freshInstall.url, javaScriptEnabled: false })
  for (const path of PAGES) {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // Browsers fetch the icon beside the page.
    expect(
      asked.filter((one) => !one.startsWith('/icons/')),
      path,
    ).toEqual([path])
    page.removeAllListeners('request')
  }
})

test('public site: a visitor finds price, FAQ, demonstration and login', async ({ freshInstall, visitor }) => {
  const page = await visitor(freshInstall)
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: HEADLINE })).toBeInViewport()
  await expect(page.getByRole('link', { name: 'Request A Demo' }).first()).toBeInViewport()
  const price = page.getByRole('region', { name: 'Complete Package' })
  await expect(price.getByText('$350 a month')).toBeVisible()
  await expect(price.getByRole('link', { name: 'Request A Demo' })).toHaveAttribute('href', '/checkout')
  await expect(page.getByRole('region', { name: 'Your Business Flow' }).getByRole('listitem')).toHaveCount(5)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'FAQ' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Why $350 a month?' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Home' }).click()
  await expect(page).toHaveURL(`${freshInstall.url}/`)
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await page.getByRole('link', { name: 'Toolbox, home' }).click()
  await expect(page.getByRole('heading', { level: 1, name: HEADLINE })).toBeVisible()
})

test('root address: the app for signed-in users, the site after logout', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/')
  await expect(page).toHaveURL(/\/app$/)
  // Now with the service worker in between.
  await waitForServiceWorker(page)
  await page.goto('/')
  await expect(page).toHaveURL(/\/app$/)
  // Offline, the device's own record of the session decides.
  await page.context().setOffline(true)
  await page.goto('/')
  await expect(page).toHaveURL(/\/app$/)
  await page.context().setOffline(false)
  await page.goto('/faq')
  await expect(page.getByRole('heading', { level: 2, name: 'Ready to Get Started?' })).toBeVisible()
  await page.request.post('/api/auth/logout', { headers: { Origin: freshInstall.url, 'X-Toolbox-Client': 'story' } })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: HEADLINE })).toBeVisible()
})
