// Leads: search, export, held requests, and repeated requests.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import {
  findReply,
  expectToast,
  fillLeadForm,
  getLeadFormPath,
  findLead,
  openLead,
  openTab,
  sendLead,
  readReference,
} from '../support/screens'
import { expect, test } from '../support/fixtures'

/** Today where the business is. */
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(new Date())

async function exported(page: Page, format: 'CSV' | 'JSON'): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `Export ${format}` }).click()
  const file = await download
  await expectToast(page, 'Export successful', `Leads data has been exported to ${format}`)
  // On a phone it covers the next target.
  await page.getByRole('button', { name: 'Close notification' }).click()
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

test('leads: exported as CSV and JSON', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const plain = buildCustomer({ name: 'Nora Field' })
  await createLead(business, plain)
  await createLead(business, buildCustomer({ name: '=HYPERLINK("http://x")', notes: 'He said "now", then\nleft' }))
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(page.getByText('Total leads: 2')).toBeVisible()

  const csv = await exported(page, 'CSV')
  expect(csv.name).toBe(`leads-${today()}.csv`)
  const [head = '', ...rows] = csv.text.replace(/^\uFEFF/, '').split('\r\n')
  expect(head).toBe('Name,Phone,Service,Stage,Source,Date Created,Notes,Quoted Total,Collected Amount')
  expect(rows.find((row) => row.startsWith(plain.name))).toContain(`${plain.phone},roofing,New,Website,`)
  expect(csv.text).toContain(`"'=HYPERLINK(""http://x"")"`)

  const json = await exported(page, 'JSON')
  expect(json.name).toBe(`leads-${today()}.json`)
  const { summary, leads } = JSON.parse(json.text) as { summary: unknown; leads: { name: string }[] }
  expect(summary).toMatchObject({
    total: 2,
    byStage: { New: 2, Quoted: 0, Scheduled: 0, Done: 0, Paid: 0 },
    totalQuoted: 0,
    totalCollected: 0,
  })
  expect(leads.map(({ name }) => name)).toContain(plain.name)
})

test('leads: searched by name, phone and service', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const roof = buildCustomer({ name: 'Nora Field' })
  const drain = buildCustomer({ name: 'Otto Brand', service: 'plumbing' })
  for (const customer of [roof, drain]) await createLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(page.getByRole('heading', { level: 1, name: 'Automated Leads Tracker' })).toBeVisible()
  const search = page.getByRole('searchbox', { name: 'Search leads by name, phone or service' })
  for (const text of ['nora', roof.phone.slice(-4), 'ROOFING']) {
    await search.fill(text)
    await expect(findLead(page, drain.name)).toBeHidden()
    await expect(findLead(page, roof.name)).toBeVisible()
  }
  await search.fill('nobody of that name')
  await expect(page.getByText('No leads found matching your search.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(findLead(page, drain.name)).toBeVisible()
})

test('leads: filtered and ordered, remembered, and cleared by one tap', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const [first, second] = [buildCustomer({ name: 'Nora Field' }), buildCustomer({ name: 'Otto Brand' })]
  await createLead(business, first)
  const answered = await createLead(business, second)
  const page = await owner(business)
  await page.request.post(`/api/leads/${answered}/answered`, {
    data: { how: 'answered' },
    headers: { Origin: freshInstall.url, 'X-Toolbox-Client': 'story' },
  })
  await page.goto('/app/leads')
  await expect(page.getByText('Total leads: 2')).toBeVisible()
  await page.getByRole('combobox', { name: 'Order' }).selectOption({ label: 'Longest waiting' })
  await expect(page).toHaveURL(/waiting=true&sort=longest_waiting/)
  await expect(page.getByText('Total leads: 1')).toBeVisible()
  await expect(findLead(page, first.name)).toBeVisible()
  await expect(findLead(page, second.name)).toHaveCount(0)
  await page.goto('/app/leads')
  await expect(page.getByRole('checkbox', { name: 'Waiting' })).toBeChecked()
  await page.getByRole('combobox', { name: 'Stage' }).selectOption({ label: 'Paid' })
  await expect(page.getByText('No leads match.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(page.getByText('Total leads: 2')).toBeVisible()
  await expect(page).toHaveURL(/\/app\/leads$/)
})

test('leads: the first one is in sight on a phone, and its whole card opens it', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Nora Field' })
  await createLead(business, customer)
  const page = await owner(business)
  const alert = { body: 'Can you come today?', isUrgent: true, createdAt: new Date().toISOString() }
  await page.route('**/api/alerts', (route) =>
    route.fulfill({
      json: Array.from({ length: 200 }, (_, n) => ({ ...alert, id: crypto.randomUUID(), title: `Alert ${n}` })),
    }),
  )
  await page.goto('/app/leads')
  const card = findLead(page, customer.name)
  await expect(card).toBeVisible()
  await expect(page.getByRole('button', { name: 'and 199 more' })).toBeVisible()
  const box = await card.boundingBox()
  // Above the navigation.
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(844 - 56)
  await expect(card.getByText('New', { exact: true })).toBeVisible()
  await expect(card.getByText('Not quoted')).toBeVisible()
  await card.click({ position: { x: 8, y: 8 } })
  await expect(page.getByRole('heading', { level: 1, name: customer.name })).toBeVisible()
})

test('spam request: held, shown as held, and released by a person', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  await createLead(business, customer, { company: 'Cheap Links Ltd' })
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(findLead(page, customer.name).getByText('Held', { exact: true })).toBeVisible()
  await openLead(page, customer.name)
  await expect(page.getByText('This request is held', { exact: true })).toBeVisible()
  await expect(page.getByText(/No automatic reply has gone out\.$/)).toBeVisible()
  await expect(findReply(page, 'Automatic reply', 'SMS')).toHaveCount(0)
  await page.getByRole('button', { name: 'Release it' }).click()
  await expectToast(page, 'Released', 'The rules answer it within a minute. See below what is sent and what is not.')
  await expect(page.getByText('This request is held', { exact: true })).toBeHidden()
  await expect(
    findReply(page, 'Automatic reply', 'SMS').getByText(/^Will not be sent: SMS is not set up/),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Hold it again' }).click()
  await expectToast(page, 'Held again', 'The replies that had not left were stopped.')
  await expect(page.getByText('This request is held', { exact: true })).toBeVisible()
  await expect(
    findReply(page, 'Automatic reply', 'SMS')
      .first()
      .getByText(/^Not sent: cancelled by /),
  ).toBeVisible()
})

test('repeated request: same lead, one reply', async ({ freshInstall, visitor, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  await createLead(business, customer)
  const page = await visitor(freshInstall)
  await page.goto(getLeadFormPath(business.slug))
  await fillLeadForm(page, { ...customer, notes: 'The gutter hangs down too.' })
  await sendLead(page)
  await readReference(page)
  const office = await owner(business)
  await office.goto('/app/leads')
  await expect(office.getByText('Total leads: 1')).toBeVisible()
  await expect(findLead(office, customer.name).getByText('Got in touch 2 times')).toBeVisible()
  await openLead(office, customer.name)
  await expect(findReply(office, 'Automatic reply', 'email')).toHaveCount(1)
  await openTab(office, 'History')
  const asked = office.locator('section').filter({ has: office.getByRole('heading', { name: 'Got in touch 2 times' }) })
  await expect(asked.getByText('The gutter hangs down too.')).toBeVisible()
})
