// The dashboard: live figures that open their rows, the order on a phone, and the age of the figures.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { findLead } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'
import { createInvoice, postAsPage } from '../support/seed-week'

const mark = (page: Page) => page.getByRole('status', { name: 'Live updates' })
const newLeads = (page: Page, count: number) =>
  page.getByRole('link', { name: new RegExp(`^${count} new leads this week`) })
const headings = (page: Page) => page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()

async function openDashboard(page: Page): Promise<void> {
  await page.goto('/app')
  await expect(page.getByRole('heading', { level: 1, name: 'Automation Dashboard' })).toBeVisible()
  await expect(mark(page)).toHaveText('LIVE')
}

/** Money of this month and of the one before, on requests that were paid in full. */
async function paid(page: Page, business: Business, amounts: readonly number[]): Promise<void> {
  for (const amount of amounts) {
    const leadId = await createLead(business, buildCustomer())
    await postAsPage(page, business, `/api/leads/${leadId}/paid`, { amount })
  }
}

test('dashboard: a new request is counted live, and its figure opens the rows', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openDashboard(page)
  // The guided start takes the place of zeros.
  const start = page.getByRole('heading', { name: 'Set up your business in ten minutes' })
  await expect(start).toBeVisible()
  await expect(newLeads(page, 0)).toBeHidden()

  const customers = [buildCustomer({ name: 'Nora Field' }), buildCustomer({ name: 'Otto Brand' })]
  for (const customer of customers) await createLead(business, customer)
  // Nobody reloads the page.
  await expect(newLeads(page, 2)).toBeVisible()
  await expect(page.getByRole('link', { name: /^\d of 2 leads answered automatically this week$/ })).toBeVisible()
  await expect(
    page.getByRole('region', { name: 'Next up' }).getByRole('link', { name: 'Nora Field', exact: true }),
  ).toBeVisible()
  await expect(start).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Finish your setup' })).toBeVisible()

  await newLeads(page, 2).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/app\/leads\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/)
  await expect(page.getByText('2 leads', { exact: true })).toBeVisible()
  for (const { name } of customers) await expect(findLead(page, name)).toBeVisible()
})

test('dashboard: money is exact to the cent, and the open amount opens its invoices', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openDashboard(page)
  await paid(page, business, [1250.5, 800])
  await createInvoice(page, business, await createLead(business, buildCustomer({ name: 'Grace Lindholm' })))
  // 900 of the invoice were paid too; half of a cent is nowhere.
  await expect(page.getByRole('link', { name: /^\$2,950\.50 revenue in [A-Z][a-z]+ so far$/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /^\$1,917\.83 margin in/ })).toBeVisible()
  await expect(page.getByText('est.', { exact: false }).first()).toBeVisible()
  const open = page.getByRole('link', { name: /open in all to be paid by 1 open invoices$/ })
  await expect(open).toHaveText(/^\$1,287 open in all/)
  await open.click()
  await expect(page).toHaveURL(/\/app\/invoices\?status=unpaid$/)
  await expect(page.getByRole('main').getByText('$1,286.83').first()).toBeVisible()
})

test('job costs: noted on the job’s page, and the margin is no longer estimated', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/app/jobs')
  const job = await postAsPage<{ id: string; leadId: string }>(page, business, '/api/jobs', {
    customer: { name: 'Ines Torres', phone: buildCustomer().phone },
    service: 'Drain cleaning',
    address: '3300 N Clark St',
    durationMinutes: 60,
    value: 1000,
  })
  await postAsPage(page, business, `/api/jobs/${job.id}/status`, { to: 'completed' })
  await postAsPage(page, business, `/api/leads/${job.leadId}/paid`, { amount: 1000 })
  await openDashboard(page)
  const margin = (amount: string) => page.getByRole('link', { name: new RegExp(`^\\$${amount} margin in`) })
  await expect(margin('650')).toBeVisible()
  await expect(page.getByText(/rests on your usual margin/)).toBeVisible()

  await page.goto(`/app/jobs/${job.id}?tab=money`)
  const costs = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: 'Costs', exact: true }) })
  await expect(costs.getByText('est.', { exact: false }).first()).toBeVisible()
  await costs.getByRole('button', { name: 'Add cost' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a cost' })
  await dialog.getByRole('radio', { name: 'Labor' }).check()
  await dialog.getByLabel('Hours').fill('4')
  await dialog.getByLabel('An hour costs').fill('50')
  await dialog.getByLabel('Note').fill('Sam')
  expect(await findAxeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add cost' }).click()
  await expect(costs.getByText('Labor: Sam')).toBeVisible()
  await expect(costs.getByText('4 h at $50.00', { exact: false })).toBeVisible()
  await expect(costs.getByText('$800.00, 80%')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await costs.getByRole('button', { name: 'Remove Sam, $200.00' }).click()
  await expect(costs.getByText('$650.00, 65%')).toBeVisible()
})

test('dashboard order: the worklist first, then the day and the figures', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await openDashboard(page)
  await expect(newLeads(page, 1)).toBeVisible()
  const day = ['Next up', 'Finish your setup', "Today's jobs"]
  const figures = [
    'New Leads',
    'Monthly Revenue',
    'Monthly Margin',
    'Past Due Invoices',
    'Automation Performance',
    'Past Due Invoices',
    'Time Saved',
    'Reviews Tracking',
    'Monthly P&L Trends',
  ]
  // The panels come after the tiles.
  await expect.poll(() => headings(page)).toEqual([...day, ...figures])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('trends chart: loads when scrolled into view, and its months are available as a table', async ({
  freshInstall,
  owner,
  isMobile,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/trends-chart')) asked.push(request.url())
  })
  await paid(page, business, [4200])
  await openDashboard(page)
  const chart = page.getByRole('img', { name: /^Revenue and profit by month, .*: \$4,200 revenue, most of it in/ })
  await expect(chart).toBeAttached()
  await expect(newLeads(page, 1)).toBeVisible()
  if (isMobile) expect(asked).toEqual([])
  await chart.scrollIntoViewIfNeeded()
  await expect(chart.locator('.recharts-rectangle').first()).toBeVisible()
  expect(asked).toHaveLength(1)
  expect(await findAxeViolations(page)).toEqual([])

  await page.getByRole('button', { name: 'Show data' }).click()
  const table = page.getByRole('table', { name: 'Revenue, costs and profit by month, oldest first' })
  await expect(table.getByRole('row')).toHaveCount(13)
  await expect(table.getByRole('row').last()).toContainText('$4,200.00')
  expect(await findAxeViolations(page)).toEqual([])
})

test('broken connection: the figures stay and show their age', async ({ ownInstall: install, owner }) => {
  const business = await registerBusiness(install)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await openDashboard(page)
  await expect(newLeads(page, 1)).toBeVisible()
  await install.killApi()
  await expect(mark(page)).toHaveText(/^OFFLINE – last updated \d+:\d\d [AP]M$/)
  await expect(newLeads(page, 1)).toBeVisible()
  await install.startApi()
  await expect(mark(page)).toHaveText('LIVE', { timeout: 30_000 })
})

test('offline start: shows the last figures and their age', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await openDashboard(page)
  await expect(newLeads(page, 1)).toBeVisible()
  await waitForServiceWorker(page)
  await page.context().setOffline(true)
  await page.reload()
  await expect(newLeads(page, 1)).toBeVisible()
  await expect(mark(page)).toHaveText(/^OFFLINE – last updated \d+:\d\d [AP]M$/)
  await page.context().setOffline(false)
  await expect(mark(page)).toHaveText('LIVE', { timeout: 30_000 })
})

test('figures that cannot be fetched: the screen stays, and they appear once they can', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await page.route(/\/figure-panels-/, (route) => route.abort())
  await openDashboard(page)
  await expect(page.getByText('More figures and trends need a connection.')).toBeVisible()
  await expect(newLeads(page, 1)).toBeVisible()
  await page.unroute(/\/figure-panels-/)
  await expect(page.getByRole('heading', { name: 'Time Saved' })).toBeVisible({ timeout: 30_000 })
})
