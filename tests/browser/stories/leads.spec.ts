// The owner at work: searching, exporting, a held request, and a person who asks twice.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { openBusiness, putLead } from '../support/business'
import { aCustomer } from '../support/people'
import {
  answerOnPage,
  expectToast,
  fillLeadForm,
  leadFormAt,
  leadInList,
  openLead,
  sendLead,
  sentReference,
} from '../support/screens'
import { expect, test } from '../support/story'

/** Today where the business is. */
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(new Date())

async function exported(page: Page, format: 'CSV' | 'JSON'): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `Export ${format}` }).click()
  const file = await download
  await expectToast(page, 'Export successful', `Leads data has been exported to ${format}`)
  // On a phone it stands over what one taps next.
  await page.getByRole('button', { name: 'Close notification' }).click()
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

test('the leads leave as a file for a spreadsheet and as one for a program', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const plain = aCustomer({ name: 'Nora Field' })
  await putLead(business, plain)
  await putLead(business, aCustomer({ name: '=HYPERLINK("http://x")', notes: 'He said "now", then\nleft' }))
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

test('the list is searched by name, phone and service', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const roof = aCustomer({ name: 'Nora Field' })
  const drain = aCustomer({ name: 'Otto Brand', service: 'plumbing' })
  for (const customer of [roof, drain]) await putLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(page.getByRole('heading', { level: 1, name: 'Automated Leads Tracker' })).toBeVisible()
  const search = page.getByRole('searchbox', { name: 'Search leads by name, phone or service' })
  for (const text of ['nora', roof.phone.slice(-4), 'ROOFING']) {
    await search.fill(text)
    await expect(leadInList(page, drain.name)).toBeHidden()
    await expect(leadInList(page, roof.name)).toBeVisible()
  }
  await search.fill('nobody of that name')
  await expect(page.getByText('No leads found matching your search.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(leadInList(page, drain.name)).toBeVisible()
})

test('a robot’s request is held, shown as held, and let through by a person', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  await putLead(business, customer, { company: 'Cheap Links Ltd' })
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(leadInList(page, customer.name).getByText('Held', { exact: true })).toBeVisible()
  await openLead(page, customer.name)
  await expect(page.getByText('This request is held', { exact: true })).toBeVisible()
  await expect(page.getByText(/No automatic reply has gone out\.$/)).toBeVisible()
  await expect(answerOnPage(page, 'Automatic reply', 'SMS')).toHaveCount(0)
  await page.getByRole('button', { name: 'Let it through' }).click()
  await expectToast(
    page,
    'Let through',
    'The rules answer it within a minute. What is sent, and what not, stands below.',
  )
  await expect(page.getByText('This request is held', { exact: true })).toBeHidden()
  await expect(answerOnPage(page, 'Automatic reply', 'SMS').getByText(/^Goes out within a minute/)).toBeVisible()
  await page.getByRole('button', { name: 'Hold it again' }).click()
  await expectToast(page, 'Held again', 'The replies that had not left were stopped.')
  await expect(page.getByText('This request is held', { exact: true })).toBeVisible()
  await expect(
    answerOnPage(page, 'Automatic reply', 'SMS')
      .first()
      .getByText(/^Not sent: cancelled by /),
  ).toBeVisible()
})

test('a person who asks again is the same lead, and is answered once', async ({ bare, visitor, owner }) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  await putLead(business, customer)
  const page = await visitor(bare)
  await page.goto(leadFormAt(business.slug))
  await fillLeadForm(page, { ...customer, notes: 'The gutter hangs down too.' })
  await sendLead(page)
  await sentReference(page)
  const office = await owner(business)
  await office.goto('/app/leads')
  await expect(office.getByText('Total leads: 1')).toBeVisible()
  await expect(leadInList(office, customer.name).getByText('Asked 2 times')).toBeVisible()
  await openLead(office, customer.name)
  await expect(office.getByRole('heading', { name: 'Asked 2 times' })).toBeVisible()
  await expect(office.getByText('The gutter hangs down too.').first()).toBeVisible()
  await expect(answerOnPage(office, 'Automatic reply', 'email')).toHaveCount(1)
})
