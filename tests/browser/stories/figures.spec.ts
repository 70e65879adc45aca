// Every figure opens its rows: a list with the same total, the way back to the full list, and its export.
import { readFile } from 'node:fs/promises'
import { type APIRequestContext, type APIResponse, expect as check, type Page, request } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { findLead } from '../support/screens'
import { expect, test } from '../support/fixtures'

type Amount = { value: number; rows: string }
type Kpis = {
  week: {
    newLeads: Amount
    quotes: { sent: Amount; sentTotal: Amount }
    collected: Amount
    refunded: Amount
    unpaidTotal: Amount
    unpaidJobs: Amount
    paidJobs: Amount
  }
}

/** Who does the owner's work without the screens. */
async function office({ install, signedIn }: Business): Promise<APIRequestContext> {
  return request.newContext({ baseURL: install.url, storageState: signedIn, extraHTTPHeaders: { Origin: install.url } })
}

async function sends(api: APIRequestContext, path: string, data: unknown): Promise<APIResponse> {
  const answer = await api.post(path, { data })
  check(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`).toBe(true)
  return answer
}

async function posts(
  api: APIRequestContext,
  path: string,
  data: unknown,
): Promise<{ id: string; payment: { id: string } }> {
  return (await (await sends(api, path, data)).json()) as { id: string; payment: { id: string } }
}

/** Two requests: one with an estimate, a payment and a refund, one with an invoice that waits. */
async function aWeek(business: Business): Promise<Kpis> {
  const api = await office(business)
  const [ana, ben] = [
    await createLead(business, buildCustomer({ name: 'Ana Diaz' })),
    await createLead(business, buildCustomer({ name: 'Ben Carter' })),
  ]
  // The answer is the PDF itself.
  await sends(api, `/api/leads/${ana}/estimate`, { quotedTotal: 1250.5 })
  const { payment } = await posts(api, `/api/leads/${ana}/paid`, {
    amount: 600.25,
    partial: true,
    method: 'check',
    receipt: false,
  })
  await posts(api, `/api/payments/${payment.id}/refund`, { amount: 100.1 })
  const draft = await posts(api, '/api/invoices', { leadId: ben, lines: [{ name: 'Work', unitPrice: 300 }] })
  await posts(api, `/api/invoices/${draft.id}/send`, { email: false, text: false })
  let kpis: Kpis | undefined
  // The worker draws the papers, and then they count.
  await check
    .poll(async () => {
      kpis = (await (await api.get(`/api/kpis/${business.orgId}`)).json()) as Kpis
      return [kpis.week.unpaidTotal.value, kpis.week.quotes.sent.value]
    })
    .toEqual([300, 1])
  await api.dispose()
  if (!kpis) throw new Error('no figures')
  return kpis
}

const dollars = (amount: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount)
const chip = (page: Page) => page.getByRole('button', { name: /^Remove: / })

async function exported(page: Page): Promise<string[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  return text.trimEnd().split('\r\n').slice(1)
}

test('figures: each opens a list with the same total and a way back to the full list', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const { week } = await aWeek(business)
  const page = await owner(business)

  await test.step('estimates: count and sum; kept by reload and Back', async () => {
    await page.goto(week.quotes.sent.rows)
    const total = `${week.quotes.sent.value} estimate of 1 lead · ${dollars(week.quotes.sentTotal.value)}`
    await expect(page.getByText(total)).toBeVisible()
    await expect(findLead(page, 'Ana Diaz')).toBeVisible()
    await expect(findLead(page, 'Ben Carter')).toBeHidden()
    expect(await exported(page)).toHaveLength(1)
    await page.reload()
    await expect(page.getByText(total)).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await chip(page).click()
    await expect(findLead(page, 'Ben Carter')).toBeVisible()
    await expect(page.getByText('Total leads: 2')).toBeVisible()
    await page.goBack()
    await expect(page.getByText(total)).toBeVisible()
  })

  await test.step('weekly requests by keyboard only', async () => {
    await page.goto(week.newLeads.rows)
    await expect(page.getByText(`${week.newLeads.value} leads`, { exact: true })).toBeVisible()
    await chip(page).focus()
    await page.keyboard.press('Enter')
    await expect(chip(page)).toBeHidden()
  })

  await test.step('an empty figure says that there are no rows', async () => {
    await page.goto(week.paidJobs.rows)
    await expect(page.getByText(/^No leads in these days: /)).toBeVisible()
    await page.getByRole('button', { name: 'Show all leads' }).click()
    await expect(findLead(page, 'Ana Diaz')).toBeVisible()
  })

  await test.step('open amounts', async () => {
    await page.goto(week.unpaidTotal.rows)
    await expect(
      page.getByText(`${week.unpaidJobs.value} invoice found · ${dollars(week.unpaidTotal.value)} to be paid`),
    ).toBeVisible()
    expect(await exported(page)).toHaveLength(1)
  })

  await test.step('payments and refunds with their customers', async () => {
    await page.goto(week.collected.rows)
    await expect(page.getByText(`1 row · ${dollars(week.collected.value)}`)).toBeVisible()
    await page.goto(week.refunded.rows)
    await expect(page.getByText(`1 row · ${dollars(week.refunded.value)}`)).toBeVisible()
    const [row = ''] = await exported(page)
    expect(row).toContain('Ana Diaz,Refund,Check,-100.10')
    await chip(page).click()
    await expect(page.getByText('2 rows · $500.15')).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Ana Diaz' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Ana Diaz' })).toBeVisible()
  })

  await test.step('payments are linked from the invoices', async () => {
    await page.goto('/app/invoices')
    await page.getByRole('main').getByRole('link', { name: 'Payments' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Payments' })).toBeVisible()
  })
})
