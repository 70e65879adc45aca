// The demonstration: open without a session, read-only, and independent of the session in this browser.
import type { Locator, Page, Request } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { readableDeviceData } from '../support/device-data'
import { sendText } from '../support/inbox'
import { buildCustomer } from '../support/people'
import { findLead } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

const REFUSAL = 'This is a demonstration: nothing is sent and nothing is changed here.'
/** It is seeded after the programs have started, and the page waits for it by itself. */
const SEEDED_WITHIN = { timeout: 45_000 }

const banner = (page: Page) => page.getByRole('complementary', { name: 'Demonstration' })
const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications (F8)' })

async function openDemo(page: Page): Promise<void> {
  await page.goto('/demo')
  await expect(page.getByRole('heading', { level: 1, name: 'Automation Dashboard' })).toBeVisible(SEEDED_WITHIN)
}

/** The refusal, sent away so that the next one is another. */
async function expectRefused(page: Page): Promise<void> {
  await expect(toasts(page).getByText(REFUSAL, { exact: true })).toBeVisible()
  await toasts(page).getByRole('button', { name: 'Close notification' }).click()
  await expect(toasts(page).getByText(REFUSAL, { exact: true })).toBeHidden()
}

const pathOf = (request: Request) => new URL(request.url()).pathname

/** All that asks the server to change something, from now on. What a draft would look like is posted, and changes nothing. */
function changesOf(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const path = pathOf(request)
    if (path.startsWith('/api/') && request.method() !== 'GET' && !path.endsWith('/preview'))
      asked.push(`${request.method()} ${request.url()}`)
  })
  return asked
}

/** What the server was asked and has not answered yet, and what it refused, from now on. */
function answersOf(page: Page) {
  const waiting = new Set<Request>()
  const refused: string[] = []
  page.on('request', (request) => {
    // The stream of live events never ends.
    if (pathOf(request).startsWith('/api/') && pathOf(request) !== '/api/events') waiting.add(request)
  })
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  return { waiting, refused }
}

const panel = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) })

/** The dollars that the link of that name begins with. */
async function dollars(page: Page, name: RegExp): Promise<number> {
  const text = await page.getByRole('link', { name }).first().innerText()
  return Number(/\$([\d,]+(?:\.\d\d)?)/.exec(text)?.[1]?.replaceAll(',', ''))
}

/** Drags the card to the middle of the column. */
async function carry(page: Page, card: Locator, to: Locator): Promise<void> {
  const [from, over] = [await card.boundingBox(), await to.boundingBox()]
  if (!from || !over) throw new Error('There is nothing to drag, or nowhere to drop it')
  await page.mouse.move(from.x + 12, from.y + from.height - 8)
  await page.mouse.down()
  await page.mouse.move(over.x + over.width / 2, from.y + from.height / 2, { steps: 6 })
  await page.mouse.up()
}

test('demonstration: a visitor sees figures and their rows without a session', async ({ demoInstall, visitor }) => {
  const page = await visitor(demoInstall)
  await page.goto('/login')
  await page.getByRole('link', { name: 'View Demo Dashboard' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Automation Dashboard' })).toBeVisible(SEEDED_WITHIN)
  await expect(page).toHaveURL(/\/demo$/)
  // The login page begins a sign-in by passkey, and binds it to the browser for five minutes. It opens nothing.
  expect((await page.context().cookies()).filter(({ name }) => name !== 'pkc')).toEqual([])
  expect((await page.request.get('/api/auth/me')).status()).toBe(401)

  await test.step('the figures match the product’s, none estimated', async () => {
    await expect(page.getByText('65% of revenue')).toBeVisible()
    await expect(page.getByRole('link', { name: /^3 · \$[\d,]+ past due for more than 30 days/ })).toBeVisible()
    await expect(page.getByRole('link', { name: /^1 · \$[\d,]+ past due for more than 60 days$/ })).toBeVisible()
    expect(
      (await dollars(page, /past due now$/)) / (await dollars(page, /open in all to be paid by \d+ open invoices$/)),
    ).toBeCloseTo(0.3, 3)
    // 80, 60 and 60 minutes: 40%, 30% and 30%.
    for (const part of ['16 × 5 min', '15 × 4 min', '6 × 10 min'])
      await expect(panel(page, 'Time Saved')).toContainText(part)
    await expect(panel(page, 'Reviews Tracking')).toContainText(/received out of [1-9]\d* requested this week/)
    await expect(page.getByRole('heading', { name: 'Monthly P&L Trends' })).toBeVisible()
    await expect(page.getByText(/^est\./)).toHaveCount(0)
    await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
  })

  await test.step('a figure opens as many rows as it says', async () => {
    const figure = page.getByRole('link', { name: /^\d+ new leads this week/ })
    const count = Number.parseInt(await figure.innerText(), 10)
    expect(count).toBeGreaterThan(0)
    await figure.click()
    await expect(page).toHaveURL(/\/demo\/app\/leads\?from=/)
    await expect(page.getByText(`${count} leads`, { exact: true })).toBeVisible()
  })

  await test.step('the jobs of the month total $89K', async () => {
    await page.goto('/demo/app/jobs')
    await expect(page.getByRole('main').getByText('$89K')).toBeVisible()
  })

  await test.step('the reviews average 4.8 stars', async () => {
    await page.goto('/demo/app/reviews')
    await expect(page.getByText(/^4\.8 on average, [1-9]\d* asked$/)).toBeVisible()
  })

  await test.step('a reload and a deep link show the same', async () => {
    await page.goto('/demo/app/leads')
    await page
      .getByRole('link', { name: /^View Details of / })
      .first()
      .click()
    await expect(page).toHaveURL(/\/demo\/(?:app\/leads|lead)\/[\da-f-]+$/)
    // The list stays until the lead is loaded.
    await expect(page.getByText(/^Lead #[\da-f]{8}$/)).toBeVisible()
    const name = await page.getByRole('heading', { level: 1 }).innerText()
    const address = page.url()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    const other = await visitor(demoInstall)
    await other.goto(address)
    await expect(other.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(banner(other)).toBeVisible()
    expect(await other.context().cookies(), 'without a visit to the login page there are no cookies').toEqual([])
  })
})

test('demonstration: every change is refused at once', async ({ demoInstall, visitor, isMobile }) => {
  const page = await visitor(demoInstall)
  const changes = changesOf(page)
  await openDemo(page)

  await test.step('a lead on the board returns to its column', async () => {
    await page.goto('/demo/app/leads?view=board')
    const column = (name: string) => page.getByRole('region', { name, exact: true })
    const card = column('New').getByRole('listitem').first()
    const name = await card.getByRole('heading').innerText()
    if (isMobile) {
      await page.getByRole('button', { name: `Move ${name}`, exact: true }).click()
      await page
        .getByRole('dialog', { name: `Move ${name}`, exact: true })
        .getByRole('button', { name: 'Quoted' })
        .click()
    } else {
      await carry(page, card, column('Quoted'))
    }
    await expectRefused(page)
    if (isMobile) await page.keyboard.press('Escape')
    await expect(column('New').getByRole('heading', { name, exact: true })).toBeVisible()
    await page.reload()
    await expect(column('New').getByRole('heading', { name, exact: true })).toBeVisible()
  })

  await test.step('settings are not saved and the input stays', async () => {
    await page.goto('/demo/app/settings/business')
    const form = page.getByRole('form', { name: 'Business info' })
    await form.getByLabel('Business name').fill('Taken Over & Sons')
    await form.getByLabel('Business name').blur()
    await expectRefused(page)
    await expect(form.getByLabel('Business name')).toHaveValue('Taken Over & Sons')
    // Left by a link of the demonstration, which asks first.
    await page.getByRole('link', { name: 'Leads', exact: true }).filter({ visible: true }).click()
    await page.getByRole('button', { name: 'Leave without saving' }).click()
    await expect(page).toHaveURL(/\/demo\/app\/leads$/)
  })

  await test.step('nothing is deleted', async () => {
    await page.goto('/demo/app/settings/price-book')
    const away = page.getByRole('button', { name: /^Set .+ aside$/ }).first()
    await away.click()
    await expectRefused(page)
    await expect(away).toBeEnabled()
  })

  await test.step('no message is sent', async () => {
    await page.goto('/demo/app/inbox')
    await page.getByRole('list', { name: 'Conversations, newest first' }).getByRole('link').first().click()
    await expect(page.getByRole('log')).toBeVisible()
    // Reading marks it as read without a user action: no toast.
    await expect(toasts(page).getByText(REFUSAL)).toBeHidden()
    await sendText(page, 'Is anybody there?')
    await expectRefused(page)
  })

  expect(changes).toEqual([])
})

test('demonstration settings: every tab shows its content and no error', async ({ demoInstall, visitor }) => {
  const page = await visitor(demoInstall)
  await openDemo(page)
  const [changes, { waiting, refused }] = [changesOf(page), answersOf(page)]
  const shown: Readonly<Record<string, () => Locator>> = {
    business: () => page.getByRole('form', { name: 'Business info' }),
    'price-book': () => page.getByRole('button', { name: /^Set .+ aside$/ }).first(),
    automations: () => page.getByRole('switch', { name: /^Automated Communications/ }),
    'templates/sms': () => page.getByText('Filled in for your newest lead').first(),
    subscription: () => page.getByText('Complete Package'),
    'system-status': () => page.getByRole('list', { name: 'Tools' }),
  }
  for (const [name, mark] of Object.entries(shown)) {
    await test.step(name, async () => {
      await page.goto(`/demo/app/settings/${name}`)
      await expect(mark()).toBeVisible()
      await expect.poll(() => waiting.size).toBe(0)
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      await expect(page.getByRole('alert')).toHaveCount(0)
    })
  }
  const tools = page.getByRole('list', { name: 'Tools' })
  await expect(tools.getByText('operational', { exact: true })).toHaveCount(5)
  for (const name of ['Addresses for Twilio', 'Work that stopped'])
    await expect(page.getByRole('heading', { name, exact: true })).toHaveCount(0)
  expect(refused).toEqual([])
  expect(changes).toEqual([])
})

test('demonstration banner: one line above every screen, with a way out', async ({
  demoInstall,
  visitor,
  isMobile,
}) => {
  test.setTimeout(120_000)
  const page = await visitor(demoInstall)
  await openDemo(page)
  const screens = [
    ['/demo', 'Automation Dashboard'],
    ['/demo/app/leads', 'Automated Leads Tracker'],
    ['/demo/app/inbox', 'Inbox'],
    ['/demo/app/settings', 'Settings and Configuration'],
  ] as const
  for (const [address, heading] of screens) {
    await test.step(heading, async () => {
      await page.goto(address)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      const box = await banner(page).boundingBox()
      expect(box?.height).toBeLessThanOrEqual(42)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
      expect(await findAxeViolations(page)).toEqual([])
    })
  }
  await test.step('full-height screens leave room for the banner', async () => {
    await page.goto('/demo/app/inbox')
    await expect(banner(page)).toBeVisible()
    if (isMobile)
      expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(0)
  })
  await test.step('the refusal toast links to the signup', async () => {
    await page.goto('/demo/app/settings/business')
    const name = page.getByRole('form', { name: 'Business info' }).getByLabel('Business name')
    await name.fill('Taken Over & Sons')
    await name.blur()
    await expect(toasts(page).getByRole('button', { name: 'Request A Demo' })).toBeVisible()
  })
  await page.goto('/demo')
  await expect(banner(page).getByRole('link', { name: 'Request A Demo' })).toHaveAttribute('href', '/checkout')
  await banner(page).getByRole('link', { name: 'Request A Demo' }).click()
  await expect(page).toHaveURL(/^https?:\/\/[^/]+\/checkout$/)
  await expect(banner(page)).toBeHidden()
})

test('demonstration in another tab: an owner’s own data stays untouched', async ({ demoInstall, owner }) => {
  // Registration works only after the seeding.
  await expect
    .poll(
      async () => (await fetch(`${demoInstall.url}/api/auth/me`, { headers: { 'X-Toolbox-Demo': '1' } })).status,
      SEEDED_WITHIN,
    )
    .toBe(200)
  const business = await registerBusiness(demoInstall)
  const customer = buildCustomer()
  await createLead(business, customer)
  const own = await owner(business)
  await own.goto('/app/leads')
  await expect(findLead(own, customer.name)).toBeVisible()
  await waitForServiceWorker(own)
  const cookies = await own.context().cookies()

  const tab = await own.context().newPage()
  const shell = await tab.goto('/demo')
  expect(shell?.fromServiceWorker()).toBe(false)
  await expect(tab.getByRole('heading', { level: 1, name: 'Automation Dashboard' })).toBeVisible(SEEDED_WITHIN)
  const answer = await tab.request.get('/api/auth/me', { headers: { 'X-Toolbox-Demo': '1' } })
  const viewer = (await answer.json()) as { orgId: string; orgName: string; isDemo: boolean }
  expect(viewer.isDemo).toBe(true)
  await tab.goto('/demo/app/leads')
  await expect(tab.getByText(/^Total leads: [1-9]/)).toBeVisible()
  await expect(findLead(tab, customer.name)).toHaveCount(0)
  await expect(tab.getByRole('button', { name: 'Logout' })).toHaveCount(0)
  // Away from the page, when the own app would write down what it keeps.
  await tab.goto('about:blank')
  await tab.close()

  expect(await own.context().cookies()).toEqual(cookies)
  const kept = await readableDeviceData(own)
  expect(kept).toContain(customer.name)
  expect(kept).not.toContain(viewer.orgId)
  await own.reload()
  await expect(findLead(own, customer.name)).toBeVisible()
  await expect(banner(own)).toHaveCount(0)
  await own.context().setOffline(true)
  await own.reload()
  await expect(findLead(own, customer.name)).toBeVisible()
})

test('demonstration being set up: shows progress and continues by itself', async ({ demoInstall, visitor }) => {
  const page = await visitor(demoInstall)
  const detail = 'The demonstration is being set up. Please try again in a moment.'
  const problem = {
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'unavailable',
    detail,
    requestId: 'r1',
  }
  await page.route('**/api/auth/me', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      headers: { 'Retry-After': '1' },
      body: JSON.stringify(problem),
    }),
  )
  await page.goto('/demo')
  await expect(page.getByRole('heading', { level: 1, name: 'The demonstration is being set up' })).toBeVisible()
  await expect(page.getByText(detail, { exact: true })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.unroute('**/api/auth/me')
  await expect(page.getByRole('heading', { level: 1, name: 'Automation Dashboard' })).toBeVisible(SEEDED_WITHIN)
})
