// axe on every screen, in both themes, at both sizes: nothing to find.
import type { Page } from '@playwright/test'
import { findings } from '../support/axe'
import { openBusiness, putLead } from '../support/business'
import { type Screen, type Shown, STAFF_SCREENS } from '../support/gallery'
import { ADMIN_SCREENS } from '../support/gallery-admin'
import { NOT_SET_UP, PUBLIC_SCREENS } from '../support/gallery-public'
import { aCustomer } from '../support/people'
import { picture } from '../support/pictures'
import { addPhotos, fillLeadForm, leadFormAt, sendLead, sentReference } from '../support/screens'
import { expect, test } from '../support/story'
import { anInvitation } from '../support/team'

test('every public screen', async ({ shop, visitor }) => {
  test.setTimeout(120_000)
  const page = await visitor(shop.house)
  const shown = { slug: shop.slug, leadName: '', invitation: await anInvitation(shop) }
  for (const screen of PUBLIC_SCREENS) await test.step(screen.name, () => check(page, screen, shown))
})

test('the form of an install where nobody has registered', async ({ ownHouse, visitor }) => {
  const page = await visitor(ownHouse)
  await check(page, NOT_SET_UP, { slug: '', leadName: '', invitation: '' })
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
  for (const screen of STAFF_SCREENS)
    await test.step(screen.name, () =>
      check(page, screen, { slug: business.slug, leadName: customer.name, invitation: '' }),
    )
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

test('every screen about the business itself', async ({ bare, owner }) => {
  test.setTimeout(200_000)
  const business = await openBusiness(bare)
  const page = await owner(business)
  for (const screen of ADMIN_SCREENS)
    await test.step(screen.name, () => check(page, screen, { slug: business.slug, leadName: '', invitation: '' }))
})

async function check(page: Page, screen: Screen, shown: Shown): Promise<void> {
  await screen.open(page, shown)
  expect(await findings(page), screen.name).toEqual([])
}
