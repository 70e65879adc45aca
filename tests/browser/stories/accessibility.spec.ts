// axe on every screen, in both themes, at both sizes: no violations.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { type Screen, type GalleryData, STAFF_SCREENS } from '../support/gallery'
import { ADMIN_SCREENS } from '../support/gallery-admin'
import { NOT_SET_UP_SCREEN, PUBLIC_SCREENS } from '../support/gallery-public'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import { addPhotos, fillLeadForm, getLeadFormPath, sendLead, readReference } from '../support/screens'
import { expect, test } from '../support/fixtures'
import { createInvitation } from '../support/team'

test('public screens: no axe violations in either theme', async ({ sharedBusiness, visitor }) => {
  test.setTimeout(120_000)
  const page = await visitor(sharedBusiness.install)
  const shown = { slug: sharedBusiness.slug, leadName: '', invitation: await createInvitation(sharedBusiness) }
  for (const screen of PUBLIC_SCREENS) await test.step(screen.name, () => check(page, screen, shown))
})

test('lead form without a registered business: no axe violations', async ({ ownInstall, visitor }) => {
  const page = await visitor(ownInstall)
  await check(page, NOT_SET_UP_SCREEN, { slug: '', leadName: '', invitation: '' })
})

test('staff screens: no axe violations in either theme', async ({ freshInstall, visitor, owner }) => {
  test.setTimeout(400_000)
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(page.getByText('No leads yet')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])

  const customer = buildCustomer()
  const form = await visitor(freshInstall)
  await form.goto(getLeadFormPath(business.slug))
  await fillLeadForm(form, customer)
  await addPhotos(form, [await drawPicture(form, 'roof.jpg'), await drawPicture(form, 'attic.jpg', { hue: 30 })])
  await sendLead(form)
  await readReference(form)
  await createLead(business, { ...customer, notes: 'Once more' })
  await createLead(business, buildCustomer({ name: 'Held Person' }), { company: 'x' })
  for (const screen of STAFF_SCREENS)
    await test.step(screen.name, () =>
      check(page, screen, { slug: business.slug, leadName: customer.name, invitation: '' }),
    )
  await test.step('held lead', async () => {
    await page.goto('/app/leads')
    await page.getByRole('link', { name: 'View Details of Held Person' }).click()
    await expect(page.getByText('This request is held', { exact: true })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
  })
  await test.step('photo in full size', async () => {
    await page.goto('/app/leads')
    await page.getByRole('link', { name: `View Details of ${customer.name}` }).click()
    await page.getByRole('button', { name: 'Photo 1' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
  })
})

test('admin screens of the business: no axe violations', async ({ freshInstall, owner }) => {
  test.setTimeout(200_000)
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  for (const screen of ADMIN_SCREENS)
    await test.step(screen.name, () => check(page, screen, { slug: business.slug, leadName: '', invitation: '' }))
})

async function check(page: Page, screen: Screen, shown: GalleryData): Promise<void> {
  await screen.open(page, shown)
  expect(await findAxeViolations(page), screen.name).toEqual([])
}
