// The public site: what a visitor reads before they have an account, on a phone and at a desk, by day and by night, without
// a script; and who is signed in meets the app at the same address.
import type { Page } from '@playwright/test'
import { findings } from '../support/axe'
import { openBusiness } from '../support/business'
import { underServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/story'

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
    expect(await findings(page), `${path} in ${colorScheme}`).toEqual([])
  }
  const tooWide = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1 && !one.matches('.skip'))
      .map((one) => one.className || one.tagName),
  )
  expect(tooWide, path).toEqual([])
}

test('every page reads well on any screen, by day and by night', async ({ bare, visitor }) => {
  test.setTimeout(120_000)
  const page = await visitor(bare)
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await fitsTheScreen(page, path)
  }
})

// It is long, and drawn by the same stylesheet: its colours by night and the desk are looked at above.
test('so does the reference of the API', { tag: '@phone' }, async ({ bare, visitor }) => {
  const page = await visitor(bare)
  await page.goto(REFERENCE)
  await expect(page.getByRole('heading', { level: 1, name: 'Toolbox API' })).toBeVisible()
  await fitsTheScreen(page, REFERENCE, ['light'])
})

// The same on any screen.
test('one request and no script are enough', { tag: '@phone' }, async ({ bare, opened }) => {
  const page = await opened({ baseURL: bare.url, javaScriptEnabled: false })
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

test('a visitor finds the price, the questions, the demonstration and the way in', async ({ bare, visitor }) => {
  const page = await visitor(bare)
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
  await expect(page).toHaveURL(`${bare.url}/`)
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await page.getByRole('link', { name: 'Toolbox, home' }).click()
  await expect(page.getByRole('heading', { level: 1, name: HEADLINE })).toBeVisible()
})

test('the same address is the app for who is signed in, and the site again after they have left', async ({
  bare,
  owner,
}) => {
  const business = await openBusiness(bare)
  const page = await owner(business)
  await page.goto('/')
  await expect(page).toHaveURL(/\/app$/)
  // Now with the service worker in between.
  await underServiceWorker(page)
  await page.goto('/')
  await expect(page).toHaveURL(/\/app$/)
  // Without a network nobody can say who is signed in; the device remembers.
  await page.context().setOffline(true)
  await page.goto('/')
  await expect(page).toHaveURL(/\/app$/)
  await page.context().setOffline(false)
  await page.goto('/faq')
  await expect(page.getByRole('heading', { level: 2, name: 'Ready to Get Started?' })).toBeVisible()
  await page.request.post('/api/auth/logout', { headers: { Origin: bare.url, 'X-Toolbox-Client': 'story' } })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: HEADLINE })).toBeVisible()
})
