// Screenshots of docs/screenshots with UPDATE_SCREENSHOTS=1, and of every screen with ALL_SCREENS=<folder>.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Business, registerBusiness, createLead } from '../support/business'
import { type Screen, STAFF_SCREENS, THEMES, setTheme } from '../support/gallery'
import { ADMIN_SCREENS } from '../support/gallery-admin'
import { PUBLIC_SCREENS, SITE_SCREENS } from '../support/gallery-public'
import { DEMO_SCREENS, WORK_SCREENS } from '../support/gallery-work'
import type { Install } from '../support/install'
import { buildCustomer, type Customer } from '../support/people'
import { drawPicture } from '../support/pictures'
import { REPOSITORY } from '../support/program'
import { addPhotos, fillLeadForm, getLeadFormPath, openLead, sendLead, readReference } from '../support/screens'
import { expect, test } from '../support/fixtures'
import { createInvitation } from '../support/team'
import {
  createDayOnSite,
  createInvoice,
  createPlannedWeek,
  HEATER_ESTIMATE,
  joinCrew,
  postAsPage,
  createReviews,
} from '../support/seed-week'

const FOLDER = join(REPOSITORY, 'docs/screenshots')
const MAX_BYTES = 200 * 1024
const DESK = { width: 1100, height: 640 }
/** A whole week wants room. */
const WIDE = { width: 1440, height: 700 }
/** Overlays, and screens longer than a picture. */
const AS_IN_SIGHT: ReadonlySet<string> = new Set(['menu', 'api-docs'])
const everyScreen = process.env['ALL_SCREENS']

/** A quiet week at a roofer's who does not exist. */
const WEEK: readonly Customer[] = [
  buildCustomer({
    name: 'Ben Carter',
    service: 'plumbing',
    zip: '60622',
    phone: '(773) 555-0141',
    email: 'ben.carter@home.example',
    notes: 'The kitchen tap drips day and night.',
  }),
  buildCustomer({
    name: 'Grace Lindholm',
    service: 'roofing',
    zip: '60640',
    phone: '(312) 555-0119',
    email: 'grace.lindholm@home.example',
    notes: 'A quote for a new flat roof over the garage, please.',
  }),
  buildCustomer({
    name: 'Dev Patel',
    service: 'electrical',
    zip: '60601',
    phone: '(312) 555-0162',
    email: 'dev.patel@home.example',
    notes: 'Two outlets in the office went dead after the storm.',
  }),
  buildCustomer({
    name: 'Chloe Novak',
    service: 'hvac',
    zip: '60657',
    phone: '(773) 555-0107',
    email: 'chloe.novak@home.example',
    notes: 'The furnace starts and stops every few minutes.',
  }),
  buildCustomer({
    name: 'Maria Lopez',
    service: 'roofing',
    zip: '60614',
    phone: '(312) 555-0142',
    email: 'maria.lopez@home.example',
    notes: 'Three shingles came off in last night’s storm and the attic is damp below them. I am home after 4 PM.',
  }),
]

async function aWeek(install: Install, page: Page): Promise<Business> {
  const business = await registerBusiness(install, { orgName: 'Lakeside Roofing', name: 'Robin Keller' })
  for (const customer of WEEK) {
    await page.goto(getLeadFormPath(business.slug))
    await fillLeadForm(page, customer)
    if (customer.name === 'Maria Lopez')
      await addPhotos(page, [await drawPicture(page, 'roof.jpg'), await drawPicture(page, 'evening.jpg', { hue: 28 })])
    await sendLead(page)
    await readReference(page)
  }
  return business
}

// Drawn with UPDATE_SCREENSHOTS=1, on a desktop.
test('README screenshots: desktop', { tag: ['@readme', '@desktop'] }, async ({ connected, visitor, owner }) => {
  await mkdir(FOLDER, { recursive: true })
  const business = await aWeek(connected.install, await visitor(connected.install))
  const page = await owner(business)
  await page.setViewportSize(DESK)
  // Without the see-through glass the files are smaller.
  await page.addInitScript(() => localStorage.setItem('toolbox.solid', 'on'))
  await page.goto('/app/leads')
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
  await draw(page, 'leads.png')
  await openLead(page, 'Maria Lopez')
  await expect(page.getByText('Sent', { exact: true })).toHaveCount(2)
  await expect
    .poll(() => page.getByRole('img', { name: 'Photo 2' }).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)
  await page
    .getByRole('heading', { level: 2, name: 'Conversation' })
    .evaluate((heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 90))
  await draw(page, 'lead-detail.png')

  const { monday } = await createPlannedWeek(page, business)
  await setTheme(page, 'toolbox-day')
  await page.setViewportSize(WIDE)
  await page.goto(`/app/schedule?view=week&date=${monday}`)
  await expect(page.getByRole('button', { name: /^Ines Torres/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Chloe Novak/ })).toHaveCount(2)
  await draw(page, 'schedule.png')
  await page.setViewportSize(DESK)
  const leadId = await createLead(business, buildCustomer({ name: 'Grace Lindholm', service: 'plumbing' }))
  await page.goto(`/app/invoices/${await createInvoice(page, business, leadId)}`)
  await expect(page.getByText('Partly paid', { exact: true }).first()).toBeVisible()
  await draw(page, 'invoice.png')
})

// Drawn with UPDATE_SCREENSHOTS=1, on a desktop.
test('README screenshots: dashboard', { tag: ['@readme', '@desktop'] }, async ({ demoInstall, visitor }) => {
  await mkdir(FOLDER, { recursive: true })
  const page = await visitor(demoInstall)
  await setTheme(page, 'toolbox-day')
  await page.setViewportSize({ width: 1280, height: 620 })
  await page.addInitScript(() => localStorage.setItem('toolbox.solid', 'on'))
  const [dashboard] = DEMO_SCREENS
  await dashboard?.open(page, { slug: 'demo', leadName: '', invitation: '' })
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
  await draw(page, 'dashboard.png')
})

// Drawn with UPDATE_SCREENSHOTS=1, on a phone.
test('README screenshots: phones', { tag: ['@readme', '@phone'] }, async ({ connected, visitor, owner }) => {
  await mkdir(FOLDER, { recursive: true })
  const { install, mailbox } = connected
  const business = await registerBusiness(install, { orgName: 'Lakeside Plumbing', name: 'Robin Keller' })
  const [customer, office, crew] = [await visitor(install), await owner(business), await visitor(install)]
  await customer.goto(getLeadFormPath(business.slug))
  await fillLeadForm(
    customer,
    buildCustomer({
      name: 'Hugo Marsh',
      service: 'plumbing',
      phone: '(312) 555-0128',
      email: 'hugo.marsh@home.example',
      notes: 'The water heater leaks.',
    }),
  )
  await customer.getByRole('heading', { level: 1 }).click()
  await customer.evaluate(() => scrollTo(0, 0))
  await draw(customer, 'lead-form.png')

  const leadId = await createLead(business, buildCustomer({ name: 'Hugo Marsh', service: 'plumbing' }))
  await postAsPage(office, business, `/api/leads/${leadId}/estimate`, HEATER_ESTIMATE)
  const [estimate] = (await (await office.request.get(`/api/leads/${leadId}/estimates`)).json()) as { link: string }[]
  await customer.emulateMedia({ colorScheme: 'light' })
  await customer.goto(new URL(estimate?.link ?? '').pathname)
  await customer
    .getByText('Choose one')
    .evaluate((heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 16))
  await draw(customer, 'estimate.png')

  const { crewIds } = await createPlannedWeek(office, business)
  await joinCrew(office, business, crewIds[0] ?? '', crew, mailbox)
  await createDayOnSite(office, business, crewIds[0] ?? '')
  await crew.reload()
  await expect(crew.getByRole('button', { name: 'On my way' })).toBeVisible()
  await draw(crew, 'crew-day.png')
})

/** Captures the viewport after all animations; small files for the README. */
async function draw(page: Page, name: string): Promise<void> {
  const drawn = await page.screenshot({ path: join(FOLDER, name), scale: 'css', animations: 'disabled' })
  expect(drawn.byteLength, name).toBeLessThanOrEqual(MAX_BYTES)
}

/** Draws each of these screens whole, in both themes; some of them can be come to only once. */
async function drawAll(
  project: string,
  page: Page,
  screens: readonly Screen[],
  slug: string,
  invitation = '',
): Promise<void> {
  for (const { name, open } of screens) {
    await open(page, { slug, leadName: 'Maria Lopez', invitation })
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme === 'toolbox-day' ? 'light' : 'dark' })
      await page.evaluate((chosen) => {
        document.documentElement.dataset['theme'] = chosen
      }, theme)
      await page.screenshot({
        path: join(everyScreen ?? '', `${project}-${theme}-${name}.png`),
        fullPage: !AS_IN_SIGHT.has(name),
        animations: 'disabled',
      })
    }
  }
}

// Drawn with ALL_SCREENS=<folder>.
test('screenshots of every screen', { tag: '@every-screen' }, async ({ freshInstall, visitor, owner }, { project }) => {
  test.setTimeout(420_000)
  const business = await aWeek(freshInstall, await visitor(freshInstall))
  await drawAll(
    project.name,
    await visitor(freshInstall),
    [...SITE_SCREENS, ...PUBLIC_SCREENS],
    business.slug,
    await createInvitation(business),
  )
  const office = await owner(business)
  await drawAll(project.name, office, [...STAFF_SCREENS, ...ADMIN_SCREENS], business.slug)

  const { crewIds } = await createPlannedWeek(office, business)
  await createDayOnSite(office, business, crewIds[0] ?? '')
  await createInvoice(
    office,
    business,
    await createLead(business, buildCustomer({ name: 'Grace Lindholm', service: 'plumbing' })),
  )
  await createReviews(office, business)
  await drawAll(project.name, office, WORK_SCREENS, business.slug)
})

// Drawn with ALL_SCREENS=<folder>.
test(
  'screenshots of every demonstration screen',
  { tag: '@every-screen' },
  async ({ demoInstall, visitor }, { project }) => {
    test.setTimeout(180_000)
    await drawAll(project.name, await visitor(demoInstall), DEMO_SCREENS, 'demo')
  },
)
