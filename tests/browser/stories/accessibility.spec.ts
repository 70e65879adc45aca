// axe on every screen, in both themes, at both sizes: nothing to find.
import type { Page } from '@playwright/test'
import { findings } from '../support/axe'
import { openBusiness, putLead } from '../support/business'
import { NOT_SET_UP, PUBLIC_SCREENS, type Screen, STAFF_SCREENS } from '../support/gallery'
import { aCustomer } from '../support/people'
import { picture } from '../support/pictures'
import { addPhotos, fillLeadForm, leadFormAt, sendLead, sentReference } from '../support/screens'
import { expect, test } from '../support/story'

test('every public screen', async ({ shop, visitor }) => {
  test.setTimeout(120_000)
  const page = await visitor(shop.house)
  for (const screen of PUBLIC_SCREENS) await test.step(screen.name, () => check(page, screen, { slug: shop.slug, leadName: '' }))
})

test('the form of an install where nobody has registered', async ({ ownHouse, visitor }) => {
  const page = await visitor(ownHouse)
  await check(page, NOT_SET_UP, { slug: '', leadName: '' })
})

test('every staff screen', async ({ bare, visitor, owner }) => {
  test.setTimeout(400_000)
  const business = await openBusiness(bare)
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(page.getByText('No leads yet')).toBeVisible()
  expect(await findings(page)).toEqual([])

  const customer = aCustomer()
  const form = await visitor(bare)
  await form.goto(leadFormAt(business.slug))
  await fillLeadForm(form, customer)
  await addPhotos(form, [await picture(form, 'roof.jpg'), await picture(form, 'attic.jpg', { hue: 30 })])
  await sendLead(form)
  await sentReference(form)
  await putLead(business, { ...customer, notes: 'Once more' })
  await putLead(business, aCustomer({ name: 'Held Person' }), { company: 'x' })
  for (const screen of STAFF_SCREENS) await test.step(screen.name, () => check(page, screen, { slug: business.slug, leadName: customer.name }))
  await test.step('a held lead', async () => {
    await page.goto('/app/leads')
    await page.getByRole('link', { name: 'View Details of Held Person' }).click()
    await expect(page.getByText('This request is held', { exact: true })).toBeVisible()
    expect(await findings(page)).toEqual([])
  })
  await test.step('a photo in full size', async () => {
    await page.goto('/app/leads')
    await page.getByRole('link', { name: `View Details of ${customer.name}` }).click()
    await page.getByRole('button', { name: 'Photo 1' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await findings(page)).toEqual([])
  })
})

async function check(page: Page, screen: Screen, shown: { slug: string; leadName: string }): Promise<void> {
  await screen.open(page, shown)
  expect(await findings(page), screen.name).toEqual([])
}
