// Jobs: from a lead to a crew's day, overlaps, undo, and photos and notes on site.
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import { expectToast, openLead, openTab } from '../support/screens'
import { expect, test } from '../support/fixtures'

/** A Tuesday far enough ahead that its name never becomes "Tomorrow". */
const DAY = '2031-03-04'
const DAY_SHOWN = 'Tue, Mar 4, 2031'

/** Today where the business is. */
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(new Date())
const card = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name })
const jobOnBoard = (page: Page, customer: string): Locator =>
  page
    .getByRole('list', { name: 'Jobs, newest first' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: customer, exact: true }) })
const status = (page: Page, name: string): Locator =>
  page
    .locator('header')
    .filter({ has: page.getByRole('heading', { level: 1 }) })
    .getByText(name, { exact: true })

async function addCrew(page: Page, name: string): Promise<void> {
  await page.goto('/app/settings/crews')
  await card(page, 'Crews').getByRole('button', { name: 'Add crew' }).click()
  await dialog(page, 'Add a crew').getByLabel('Name').fill(name)
  await dialog(page, 'Add a crew').getByRole('button', { name: 'Add crew' }).click()
  await expectToast(page, 'Crew added')
  await expect(card(page, 'Crews').getByText(name, { exact: true })).toBeVisible()
}

type Visit = { time: string; duration?: string; crew: string }

/** Fills the dialog that is open, and leaves it to the story to save. */
async function fillSlot(page: Page, { time, duration, crew }: Visit): Promise<Locator> {
  const open = page.getByRole('dialog').filter({ hasText: 'On the clock of your business' })
  await open.getByLabel('Day').fill(DAY)
  await open.getByLabel('Time').fill(time)
  if (duration) await open.getByLabel('Duration').selectOption({ label: duration })
  await open.getByLabel('Crew').selectOption({ label: crew })
  return open
}

/** A job by the API, for stories about what comes after. */
async function putJob(page: Page, { install }: Business, data: Record<string, unknown>): Promise<string> {
  const answer = await page.request.post('/api/jobs', {
    data,
    headers: { Origin: install.url, 'X-Toolbox-Client': 'story' },
  })
  expect(answer.status(), await answer.text()).toBe(201)
  return ((await answer.json()) as { id: string }).id
}

async function more(page: Page, action: string): Promise<void> {
  await page.getByRole('group', { name: 'What comes next' }).getByRole('button', { name: 'More' }).click()
  await dialog(page, 'More').getByRole('button', { name: action }).click()
}

test('lead to job: scheduled, started, undone, done', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Nora Field' })
  await createLead(business, customer)
  const page = await owner(business)
  await addCrew(page, 'North crew')

  await test.step('add the job on the lead’s page', async () => {
    await page.goto('/app/leads')
    await openLead(page, customer.name)
    await openTab(page, 'Jobs')
    await card(page, 'Jobs').getByRole('button', { name: 'Add job' }).click()
    const add = dialog(page, `Add a job for ${customer.name}`)
    await add.getByLabel(/^Address/).fill('12 Oak St')
    await add.getByLabel(/^Value/).fill('1,250')
    await add.getByRole('button', { name: 'Add job' }).click()
    await expectToast(page, 'Job added', `#1001, ${customer.name}`)
    await expect(page.getByRole('heading', { level: 1, name: 'Roofing' })).toBeVisible()
    await expect(status(page, 'Not scheduled')).toBeVisible()
    await expect(card(page, 'Job Details').getByText('Not scheduled')).toBeVisible()
    await expect(card(page, 'Job Details').getByRole('link', { name: /^12 Oak St/ })).toHaveAttribute(
      'href',
      /^https:\/\/maps\.google\.com\/\?q=12%20Oak%20St/,
    )
    await openTab(page, 'Money')
    await expect(card(page, 'Money').getByText('$1,250.00').first()).toBeVisible()
    await openTab(page, 'Work')
  })

  await test.step('schedule with time and crew', async () => {
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    const slot = await fillSlot(page, { time: '08:00', duration: '3 h', crew: 'North crew' })
    await slot.getByRole('button', { name: 'Schedule' }).click()
    await expectToast(page, 'Scheduled', `${DAY_SHOWN} 8:00 AM, North crew`)
    await expect(card(page, 'Job Details').getByText('Mar 4, 2031, 8:00 AM – 11:00 AM')).toBeVisible()
    await expect(card(page, 'The Work').getByText('North crew')).toBeVisible()
  })

  await test.step('undo an accidental start', async () => {
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await expectToast(page, 'Job started')
    await expect(status(page, 'In Progress')).toBeVisible()
    await page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, 'Undone')
    await expect(status(page, 'Scheduled')).toBeVisible()
  })

  await test.step('complete the job; its steps show it', async () => {
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await expectToast(page, 'Job done')
    await expect(status(page, 'Completed')).toBeVisible()
    await openTab(page, 'Timeline')
    await expect(page.getByRole('list', { name: 'Steps of this job' }).getByRole('listitem')).toHaveCount(11)
    await page.getByText(/^Everything that happened/).click()
    await expect(card(page, 'Tracking Timeline').getByText('undone').first()).toBeVisible()
  })

  await test.step('the board counts the job', async () => {
    await page.goto('/app/jobs')
    await expect(page.getByRole('heading', { level: 1, name: 'Job Tracker' })).toBeVisible()
    await expect(page.locator('dl > div').filter({ hasText: 'Jobs Done' })).toContainText('1')
    await expect(page.locator('dl > div').filter({ hasText: 'Revenue' })).toContainText('$1.3K')
    await expect(jobOnBoard(page, customer.name).getByText('Completed', { exact: true })).toBeVisible()
  })
})

test('overlapping jobs of one crew: warned before and after saving', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await addCrew(page, 'North crew')
  const crews = (await (await page.request.get('/api/crews')).json()) as { id: string }[]
  await putJob(page, business, {
    customer: { name: 'Otto Brand', phone: buildCustomer().phone },
    service: 'plumbing',
    startsAt: `${DAY}T15:00:00Z`,
    durationMinutes: 120,
    crewId: crews[0]?.id,
  })
  const id = await putJob(page, business, {
    customer: { name: 'Nora Field', phone: buildCustomer().phone },
    service: 'roofing',
  })
  await page.goto(`/app/jobs/${id}`)
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  const slot = await fillSlot(page, { time: '10:00', duration: '1 h', crew: 'North crew' })
  await expect(slot.getByText('Overlaps #1001, 9:00 AM – 11:00 AM, Otto Brand')).toBeVisible()
  await slot.getByLabel('Time').fill('11:00')
  await expect(slot.getByText(/^Overlaps/)).toBeHidden()
  await slot.getByLabel('Time').fill('10:30')
  await slot.getByRole('button', { name: 'Schedule' }).click()
  await expectToast(page, 'Scheduled', `${DAY_SHOWN} 10:30 AM, North crew. Overlaps #1001.`)
  await page.goto('/app/jobs')
  for (const name of ['Otto Brand', 'Nora Field'])
    await expect(jobOnBoard(page, name).getByText('Overlaps', { exact: true })).toBeVisible()
})

test('job: cancelled with a reason, restored; the board is filtered and exported', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  const id = await putJob(page, business, {
    customer: { name: 'Otto Brand', phone: buildCustomer().phone },
    service: 'plumbing',
    value: 400,
    startsAt: `${DAY}T15:00:00Z`,
  })
  await putJob(page, business, {
    customer: { name: '=HYPERLINK("http://x")', phone: buildCustomer().phone },
    service: 'roofing',
    priority: 'rush',
  })
  await page.goto(`/app/jobs/${id}`)
  await more(page, 'Cancel the job')
  const cancel = dialog(page, 'Cancel this job?')
  await cancel.getByRole('button', { name: 'Cancel the job' }).click()
  await expect(cancel.getByText('Please say why, in a few words')).toBeVisible()
  await cancel.getByLabel('Reason').fill('They found somebody else')
  await cancel.getByRole('button', { name: 'Cancel the job' }).click()
  await expectToast(page, 'Job cancelled')
  await expect(card(page, 'Job Details').getByText('They found somebody else')).toBeVisible()

  // The toast with its undo covers the back link; it is closed first.
  await page.getByRole('button', { name: 'Close notification' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.getByLabel('Status').selectOption({ label: 'Cancelled' })
  await expect(jobOnBoard(page, 'Otto Brand')).toBeVisible()
  await expect(page.getByText('1 job found', { exact: true })).toBeVisible()
  const narrowed = await exported(page, 'CSV')
  expect(narrowed.name).toBe(`jobs-${today()}.csv`)
  const [head, ...rows] = narrowed.text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
  expect(head).toBe('Date,Customer,Service,Location,Crew,Status,Priority,Value')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toContain('Otto Brand,')

  await page.getByLabel('Status').selectOption({ label: 'Every status' })
  const whole = await exported(page, 'CSV')
  expect(whole.text).toContain(`"'=HYPERLINK(""http://x"")"`)
  expect((await exported(page, 'JSON')).name).toBe(`jobs-${today()}.json`)
  await page.getByRole('searchbox').fill('nobody of that name')
  await expect(page.getByText('No jobs found.')).toBeVisible()

  await page.goto(`/app/jobs/${id}`)
  await page.getByRole('button', { name: 'Restore' }).click()
  await expectToast(page, 'Job restored')
  await expect(status(page, 'Scheduled')).toBeVisible()
})

async function exported(page: Page, format: 'CSV' | 'JSON'): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `Export ${format}` }).click()
  const file = await download
  await expectToast(page, 'Export successful', `Jobs data has been exported to ${format}`)
  // On a phone it covers the next target.
  await page.getByRole('button', { name: 'Close notification' }).click()
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

test('job on site: photos, notes and ticks are stored, and missing photos are asked for', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  const id = await putJob(page, business, {
    customer: { name: 'Nora Field', phone: buildCustomer().phone },
    service: 'roofing',
    startsAt: `${DAY}T15:00:00Z`,
    requiredPhotos: 'after',
    checklist: ['Water off', 'Floor covered'],
    materials: ['Shingles'],
  })
  await page.goto(`/app/jobs/${id}`)
  await expect(card(page, 'The Work').getByText('Shingles')).toBeVisible()
  await card(page, 'Checklist').getByLabel('Water off').check()
  await expect(card(page, 'Checklist').getByText('1 of 2 done')).toBeVisible()
  await card(page, 'Crew Notes').getByLabel('New note').fill('The gate code is 4711.')
  await card(page, 'Crew Notes').getByRole('button', { name: 'Add note' }).click()
  await expect(
    card(page, 'Crew Notes').getByRole('paragraph').filter({ hasText: 'The gate code is 4711.' }),
  ).toBeVisible()

  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(dialog(page, 'Photos are missing')).toBeVisible()
  await dialog(page, 'Photos are missing').getByRole('button', { name: 'Add photos' }).click()

  const content = card(page, 'Automated Content')
  await content.getByLabel('Taken').selectOption({ label: 'after the work' })
  await content
    .locator('input[accept^="image"]')
    .setInputFiles([await drawPicture(page, 'roof.jpg'), await drawPicture(page, 'ridge.jpg', { hue: 30 })])
  const after = content.getByRole('region', { name: 'After the work' })
  await expect(after.getByRole('listitem')).toHaveCount(2)
  await expect(after.getByText('Completion photo')).toHaveCount(2)
  await expect(after.getByText('Not sent')).toHaveCount(2)
  await after.getByRole('button', { name: 'View roof' }).click()
  await expect
    .poll(() =>
      page
        .getByRole('dialog')
        .getByRole('img')
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    )
    .toBeGreaterThan(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  const download = page.waitForEvent('download')
  await content.getByRole('link', { name: 'Download all' }).click()
  const zip = await download
  expect(zip.suggestedFilename()).toBe(`job-1001-photos-${today()}.zip`)
  expect((await readFile(await zip.path())).subarray(0, 2).toString()).toBe('PK')

  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expectToast(page, 'Job done')
  await after.getByRole('button', { name: /^Remove ridge/ }).click()
  await dialog(page, 'Remove this file?').getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'File removed')
  await expect(after.getByRole('listitem')).toHaveCount(1)
})

// Runs once, on the phone.
test(
  'change order: written on the phone, signed by the customer, and added to the agreed amount',
  { tag: '@phone' },
  async ({ freshInstall, owner, visitor }) => {
    const business = await registerBusiness(freshInstall)
    const page = await owner(business)
    const id = await putJob(page, business, {
      customer: { name: 'Nora Field', phone: buildCustomer().phone },
      service: 'plumbing',
      value: 1250,
    })
    await page.goto(`/app/jobs/${id}`)
    await openTab(page, 'Money')
    await card(page, 'Change orders').getByRole('button', { name: 'Add change order' }).click()
    const sheet = dialog(page, 'Add a change order')
    await sheet.getByLabel('What came up').fill('Rotten subfloor')
    await sheet.getByRole('textbox', { name: 'What', exact: true }).fill('New subfloor')
    await sheet.getByLabel('Price each').fill('350')
    await expect(sheet.getByText('$1,600.00')).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Send change order' }).click()
    await expect(card(page, 'Change orders').getByText('Open', { exact: true })).toBeVisible()

    const [order] = (await (await page.request.get(`/api/jobs/${id}/change-orders`)).json()) as { link: string }[]
    const phone = await visitor(freshInstall)
    await phone.goto(new URL(order?.link ?? '').pathname)
    await phone.getByLabel('Your full name').fill('Nora Field')
    await phone.getByRole('checkbox', { name: /I agree/ }).check()
    await phone.getByRole('button', { name: /^Approve this/ }).click()
    await expect(phone.getByRole('heading', { name: /Approved by Nora Field/ })).toBeVisible()
    await expect(card(page, 'Change orders').getByText(/^Approved .* by Nora Field/)).toBeVisible()
    await expect(card(page, 'Money').getByText('$1,600.00').first()).toBeVisible()
  },
)

test('two devices: a change on one appears on the other', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const [office, phone] = [await owner(business), await owner(business)]
  const id = await putJob(office, business, {
    customer: { name: 'Nora Field', phone: buildCustomer().phone },
    service: 'roofing',
    startsAt: `${DAY}T15:00:00Z`,
  })
  await office.goto('/app/jobs')
  await expect(office.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
  await phone.goto(`/app/jobs/${id}`)
  await phone.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(jobOnBoard(office, 'Nora Field').getByText('In Progress', { exact: true })).toBeVisible()
})

test('unknown job: shows a not-found message', async ({ sharedBusiness, owner }) => {
  const page = await owner(sharedBusiness)
  await page.goto('/app/jobs/00000000-0000-7000-8000-000000000000')
  await expect(page.getByRole('heading', { name: 'Job Not Found' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Jobs' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Job Tracker' })).toBeVisible()
})

test('job screens: no axe violations in either theme', async ({ freshInstall, owner }) => {
  test.setTimeout(120_000)
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/app/jobs')
  await expect(page.getByRole('heading', { name: 'No jobs yet' })).toBeVisible()
  expect(await findAxeViolations(page), 'no jobs').toEqual([])
  await addCrew(page, 'North crew')
  const id = await putJob(page, business, {
    customer: { name: 'Nora Field', phone: buildCustomer().phone },
    service: 'roofing',
    value: 1250,
    priority: 'rush',
    startsAt: `${DAY}T15:00:00Z`,
    checklist: ['Water off'],
    specialInstructions: 'Ring twice',
  })
  await page.goto('/app/jobs')
  await expect(jobOnBoard(page, 'Nora Field')).toBeVisible()
  expect(await findAxeViolations(page), 'the board').toEqual([])
  await page.getByRole('button', { name: 'Add job' }).first().click()
  await expect(dialog(page, 'Add a job').getByRole('list', { name: 'Leads' }).getByRole('button').first()).toBeVisible()
  expect(await findAxeViolations(page), 'adding a job').toEqual([])
  await page.goto(`/app/jobs/${id}`)
  for (const tab of ['Files', 'Money', 'Timeline', 'Automation', 'Work']) {
    await openTab(page, tab)
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    expect(await findAxeViolations(page), tab).toEqual([])
  }
  for (const [action, title] of [
    ['Change the time', 'Change the time'],
    ['Reassign', 'Reassign'],
    ['Edit the job', 'Edit the job'],
    ['Cancel the job', 'Cancel this job?'],
  ] as const) {
    await more(page, action)
    await expect(dialog(page, title)).toBeVisible()
    expect(await findAxeViolations(page), title).toEqual([])
    await page.keyboard.press('Escape')
  }
})
