// Every figure opens its rows: from the address that a figure gives to a list with the same total, back to the whole list, and out as a file.
import { readFile } from 'node:fs/promises'
import { type APIRequestContext, type APIResponse, expect as check, type Page, request } from '@playwright/test'
import { findings } from '../support/axe'
import { type Business, openBusiness, putLead } from '../support/business'
import { aCustomer } from '../support/people'
import { leadInList } from '../support/screens'
import { expect, test } from '../support/story'

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
async function office({ house, signedIn }: Business): Promise<APIRequestContext> {
  return request.newContext({ baseURL: house.url, storageState: signedIn, extraHTTPHeaders: { Origin: house.url } })
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
    await putLead(business, aCustomer({ name: 'Ana Diaz' })),
    await putLead(business, aCustomer({ name: 'Ben Carter' })),
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

test('each figure opens a list with the same total, which goes back to the whole one', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const { week } = await aWeek(business)
  const page = await owner(business)

  await test.step('estimates: how many, and what they come to; a reload and Back keep it', async () => {
    await page.goto(week.quotes.sent.rows)
    const total = `${week.quotes.sent.value} estimate of 1 lead · ${dollars(week.quotes.sentTotal.value)}`
    await expect(page.getByText(total)).toBeVisible()
    await expect(leadInList(page, 'Ana Diaz')).toBeVisible()
    await expect(leadInList(page, 'Ben Carter')).toBeHidden()
    expect(await exported(page)).toHaveLength(1)
    await page.reload()
    await expect(page.getByText(total)).toBeVisible()
    expect(await findings(page)).toEqual([])
    await chip(page).click()
    await expect(leadInList(page, 'Ben Carter')).toBeVisible()
    await expect(page.getByText('Total leads: 2')).toBeVisible()
    await page.goBack()
    await expect(page.getByText(total)).toBeVisible()
  })

  await test.step('requests of the week, by the keyboard alone', async () => {
    await page.goto(week.newLeads.rows)
    await expect(page.getByText(`${week.newLeads.value} leads`, { exact: true })).toBeVisible()
    await chip(page).focus()
    await page.keyboard.press('Enter')
    await expect(chip(page)).toBeHidden()
  })

  await test.step('where nothing is behind a figure it says so', async () => {
    await page.goto(week.paidJobs.rows)
    await expect(page.getByText(/^No leads in these days: /)).toBeVisible()
    await page.getByRole('button', { name: 'Show all leads' }).click()
    await expect(leadInList(page, 'Ana Diaz')).toBeVisible()
  })

  await test.step('what is still to be paid', async () => {
    await page.goto(week.unpaidTotal.rows)
    await expect(
      page.getByText(`${week.unpaidJobs.value} invoice found · ${dollars(week.unpaidTotal.value)} to be paid`),
    ).toBeVisible()
    expect(await exported(page)).toHaveLength(1)
  })

  await test.step('money that came in and went back, each with its customer', async () => {
    await page.goto(week.collected.rows)
    await expect(page.getByText(`1 row · ${dollars(week.collected.value)}`)).toBeVisible()
    await page.goto(week.refunded.rows)
    await expect(page.getByText(`1 row · ${dollars(week.refunded.value)}`)).toBeVisible()
    const [row = ''] = await exported(page)
    expect(row).toContain('Ana Diaz,Refund,Check,-100.10')
    await chip(page).click()
    await expect(page.getByText('2 rows · $500.15')).toBeVisible()
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Ana Diaz' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Ana Diaz' })).toBeVisible()
  })

  await test.step('payments are found beside the invoices', async () => {
    await page.goto('/app/invoices')
    await page.getByRole('main').getByRole('link', { name: 'Payments' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Payments' })).toBeVisible()
  })
})
