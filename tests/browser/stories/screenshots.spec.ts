// The pictures of the README, drawn anew with UPDATE_SCREENSHOTS=1, and of every screen with ALL_SCREENS=<folder>.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Business, openBusiness } from '../support/business'
import { PUBLIC_SCREENS, STAFF_SCREENS, THEMES, useTheme } from '../support/gallery'
import type { House } from '../support/house'
import { aCustomer, type Customer } from '../support/people'
import { picture } from '../support/pictures'
import { REPOSITORY } from '../support/program'
import { addPhotos, fillLeadForm, leadFormAt, openLead, sendLead, sentReference } from '../support/screens'
import { expect, test } from '../support/story'

const FOLDER = join(REPOSITORY, 'docs/screenshots')
const MAX_BYTES = 200 * 1024
const isWanted = process.env['UPDATE_SCREENSHOTS'] === '1'
const everyScreen = process.env['ALL_SCREENS']

/** A quiet week at a roofer's who does not exist. */
const WEEK: readonly Customer[] = [
  aCustomer({ name: 'Ben Carter', service: 'plumbing', zip: '60622', phone: '(773) 555-0141', email: 'ben.carter@home.example', notes: 'The kitchen tap drips day and night.' }),
  aCustomer({ name: 'Grace Lindholm', service: 'roofing', zip: '60640', phone: '(312) 555-0119', email: 'grace.lindholm@home.example', notes: 'A quote for a new flat roof over the garage, please.' }),
  aCustomer({ name: 'Dev Patel', service: 'electrical', zip: '60601', phone: '(312) 555-0162', email: 'dev.patel@home.example', notes: 'Two outlets in the office went dead after the storm.' }),
  aCustomer({ name: 'Chloe Novak', service: 'hvac', zip: '60657', phone: '(773) 555-0107', email: 'chloe.novak@home.example', notes: 'The furnace starts and stops every few minutes.' }),
  aCustomer({ name: 'Maria Lopez', service: 'roofing', zip: '60614', phone: '(312) 555-0142', email: 'maria.lopez@home.example', notes: 'Three shingles came off in last night’s storm and the attic is damp below them. I am home after 4 PM.' }),
]

async function aWeek(house: House, page: Page): Promise<Business> {
  const business = await openBusiness(house, { orgName: 'Lakeside Roofing', name: 'Robin Keller' })
  for (const customer of WEEK) {
    await page.goto(leadFormAt(business.slug))
    await fillLeadForm(page, customer)
    if (customer.name === 'Maria Lopez') await addPhotos(page, [await picture(page, 'roof.jpg'), await picture(page, 'evening.jpg', { hue: 28 })])
    await sendLead(page)
    await sentReference(page)
  }
  return business
}

test('the pictures of the README', async ({ connected, visitor, owner, isMobile }) => {
  test.skip(!isWanted, 'drawn with UPDATE_SCREENSHOTS=1')
  await mkdir(FOLDER, { recursive: true })
  const form = await visitor(connected.house)
  const business = await aWeek(connected.house, form)
  if (isMobile) {
    await form.goto(leadFormAt(business.slug))
    await fillLeadForm(form, aCustomer({ name: 'Hugo Marsh', phone: '(312) 555-0128', email: 'hugo.marsh@home.example' }))
    await form.getByRole('heading', { level: 1 }).click()
    await form.evaluate(() => scrollTo(0, 0))
    await draw(form, 'lead-form.png')
    return
  }
  const page = await owner(business)
  await page.setViewportSize({ width: 1280, height: 760 })
  // Without the see-through glass the files are smaller.
  await page.addInitScript(() => localStorage.setItem('toolbox.solid', 'on'))
  await page.goto('/app/leads')
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
  await draw(page, 'leads.png')
  await openLead(page, 'Maria Lopez')
  await expect(page.getByText('Sent', { exact: true })).toHaveCount(2)
  await expect.poll(() => page.getByRole('img', { name: 'Photo 2' }).evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await page.getByRole('heading', { name: 'Project Details' }).evaluate((heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 90))
  await draw(page, 'lead-detail.png')
})

/** Draws what is in sight, once everything stands still; a README wants small files. */
async function draw(page: Page, name: string): Promise<void> {
  const drawn = await page.screenshot({ path: join(FOLDER, name), scale: 'css', animations: 'disabled' })
  expect(drawn.byteLength, name).toBeLessThanOrEqual(MAX_BYTES)
}

test('a picture of every screen', async ({ bare, visitor, owner }, { project }) => {
  test.skip(everyScreen === undefined, 'drawn with ALL_SCREENS=<folder>')
  test.setTimeout(240_000)
  const visit = await visitor(bare)
  const business = await aWeek(bare, visit)
  for (const theme of THEMES) {
    const [stranger, office] = [await visitor(bare), await owner(business)]
    for (const [page, screens] of [[stranger, PUBLIC_SCREENS], [office, STAFF_SCREENS]] as const) {
      await useTheme(page, theme)
      for (const { name, open } of screens) {
        await open(page, { slug: business.slug, leadName: 'Maria Lopez' })
        await page.screenshot({ path: join(everyScreen ?? '', `${project.name}-${theme}-${name}.png`), fullPage: name !== 'menu', animations: 'disabled' })
      }
    }
  }
})
