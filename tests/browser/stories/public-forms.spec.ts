// The two public forms: exact messages, and input that is never lost.
import type { FileChooser } from '@playwright/test'
import { registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { gifNamedPng, drawPicture } from '../support/pictures'
import { addPhotos, expectToast, fillLeadForm, getLeadFormPath, sendLead, readReference } from '../support/screens'
import { expect, test } from '../support/fixtures'

test.describe('lead form', () => {
  test('names missing fields, and clears each error once it is fixed', async ({ sharedBusiness, visitor }) => {
    const page = await visitor(sharedBusiness.install)
    await page.goto(getLeadFormPath(sharedBusiness.slug))
    await sendLead(page)
    for (const text of [
      'Name is required',
      'Phone number is required',
      'Service type is required',
      'Zip code is required',
    ]) {
      await expect(page.getByText(text, { exact: true })).toBeVisible()
    }
    await expect(page.getByLabel('Full Name')).toBeFocused()
    await page.getByLabel('Full Name').fill('Ana')
    await expect(page.getByText('Name is required')).toBeHidden()
    await page.getByLabel('Phone').fill('312555014')
    await expect(page.getByText('Phone number is required')).toBeVisible()
    await page.getByLabel('Phone').fill('3125550142')
    await expect(page.getByText('Phone number is required')).toBeHidden()
    await page.getByLabel('Zip Code').fill('6060')
    await expect(page.getByText('Zip code is required')).toBeVisible()
    await page.getByLabel('Zip Code').fill('60601')
    await expect(page.getByText('Zip code is required')).toBeHidden()
    await page.getByLabel('Email').fill('ana@')
    await expect(page.getByText('Invalid email', { exact: true })).toBeVisible()
    await page.getByLabel('Email').fill('')
    await expect(page.getByText('Invalid email')).toBeHidden()
  })

  test('names a photo that the server refuses, and sends after its removal', async ({ sharedBusiness, visitor }) => {
    const page = await visitor(sharedBusiness.install)
    const customer = buildCustomer()
    await page.goto(getLeadFormPath(sharedBusiness.slug))
    await fillLeadForm(page, customer)
    await addPhotos(page, [await drawPicture(page, 'roof.jpg'), gifNamedPng('plan.png')])
    await sendLead(page)
    await expectToast(page, 'Submission Failed', 'Please try again or call us directly.')
    await expect(
      page
        .getByRole('alert')
        .filter({ hasText: /plan\.png.*is not a PNG, JPG or WebP picture/ })
        .first(),
    ).toBeVisible()
    await expect(page.getByLabel('Full Name')).toHaveValue(customer.name)
    await expect(page.getByLabel('Project Details')).toHaveValue(customer.notes)
    await expect(page.getByRole('img', { name: 'Photo 1: roof.jpg' })).toBeVisible()
    await page.getByRole('button', { name: 'Remove plan.png' }).click()
    await sendLead(page)
    await readReference(page)
  })

  test('accepts at most five pictures, and names each refused file', async ({ sharedBusiness, visitor }) => {
    const page = await visitor(sharedBusiness.install)
    await page.goto(getLeadFormPath(sharedBusiness.slug))
    const photos = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => drawPicture(page, `photo-${number}.jpg`)))
    await page.locator('input[type="file"]').setInputFiles(photos)
    await expect(page.getByText('photo-6.jpg was left out: at most 5 photos can be sent.')).toBeVisible()
    await expect(page.getByRole('img', { name: /^Photo \d/ })).toHaveCount(5)
    await page.getByRole('button', { name: 'Remove photo-1.jpg' }).click()
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'offer.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
    await expect(page.getByText('offer.pdf is not an image. Please choose PNG or JPG.')).toBeVisible()
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'torn.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') })
    await expect(page.getByText('torn.jpg cannot be read as a picture. Please choose PNG or JPG.')).toBeVisible()
    await expect(page.getByRole('img', { name: /^Photo \d/ })).toHaveCount(4)
  })

  test('without a registered business: says so and keeps the input', async ({ ownInstall, visitor }) => {
    const page = await visitor(ownInstall)
    const customer = buildCustomer()
    await page.goto('/lead')
    await expect(page.getByRole('heading', { name: 'This business is not set up yet' })).toBeVisible()
    await fillLeadForm(page, customer)
    const { owner } = await registerBusiness(ownInstall)
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(page.getByText(owner.orgName, { exact: true })).toBeVisible()
    await expect(page.getByLabel('Full Name')).toHaveValue(customer.name)
    await sendLead(page)
    await readReference(page)
  })

  test('can be completed by keyboard only', async ({ sharedBusiness, visitor }) => {
    const page = await visitor(sharedBusiness.install)
    const customer = buildCustomer()
    await page.goto(getLeadFormPath(sharedBusiness.slug))
    await expect(page.getByRole('checkbox')).toBeVisible()
    // Listened for from the beginning: the browser must know that its dialog is answered here before it is asked for.
    const chosen = new Promise<FileChooser>((done) => page.once('filechooser', done))
    const tabTo = async (target: ReturnType<typeof page.getByLabel>) => {
      for (let presses = 0; presses < 15; presses += 1) {
        await page.keyboard.press('Tab')
        if (await target.evaluate((element) => element === document.activeElement)) return
      }
      throw new Error(`${target.toString()} cannot be reached with the Tab key`)
    }
    for (const [label, text] of [
      ['Full Name', customer.name],
      ['Phone', customer.phone],
      ['Email', customer.email],
      ['Zip Code', customer.zip],
    ] as const) {
      await tabTo(page.getByLabel(label))
      await page.keyboard.type(text)
    }
    await tabTo(page.getByLabel('Service Type'))
    await page.keyboard.type('Roof')
    await tabTo(page.getByLabel('Project Details'))
    await page.keyboard.type(customer.notes)
    await tabTo(page.getByRole('button', { name: 'Add photos' }))
    await page.keyboard.press('Enter')
    await (await chosen).setFiles([await drawPicture(page, 'roof.jpg')])
    await expect(page.getByRole('img', { name: 'Photo 1: roof.jpg' })).toBeVisible()
    await tabTo(page.getByRole('checkbox'))
    await page.keyboard.press('Space')
    await expect(page.getByRole('checkbox')).toBeChecked()
    await tabTo(page.getByRole('button', { name: 'Submit Request' }))
    await page.keyboard.press('Enter')
    await readReference(page)
  })
})

test.describe('quote form', () => {
  for (const path of ['/quote', '/quote-request']) {
    test(`at ${path}: names missing fields, thanks by name, and resets`, async ({ sharedBusiness, visitor }) => {
      const page = await visitor(sharedBusiness.install)
      const customer = buildCustomer()
      await page.goto(`${path}?org=${sharedBusiness.slug}`)
      // No alert is on in this business: no time is promised.
      await expect(page.getByText('Every request is read')).toBeVisible()
      await expect(page.getByText('Free estimates')).toBeVisible()
      await page.getByLabel('Full Name').fill(customer.name)
      await page.getByLabel('Email').fill(customer.email)
      await page.getByRole('button', { name: 'Submit Quote Request' }).click()
      await expectToast(page, 'Missing Information', 'Please fill out all required fields marked with *')
      await page.getByLabel('Service Type').selectOption('Roof Repair')
      await page.getByLabel('Phone').fill(customer.phone)
      await page.getByLabel('Budget').selectOption('$2,500 - $5,000')
      await page.getByRole('button', { name: 'Submit Quote Request' }).click()
      // What follows depends on the hour: out of hours it says when the request is read.
      await expectToast(page, 'Quote Request Submitted!')
      await expect(page.getByRole('heading', { level: 1, name: 'Quote Request Received!' })).toBeVisible()
      await expect(page.getByText(`Thank you, ${customer.name}!`)).toContainText(
        'Roof Repair and will send you a detailed quote.',
      )
      // Email is not set up here: no confirmation is promised.
      await expect(page.getByText(customer.email)).toHaveCount(0)
      await expect(page.getByText(customer.phone)).toBeVisible()
      await page.getByRole('button', { name: 'Submit Another Quote Request' }).click()
      await expect(page.getByLabel('Full Name')).toHaveValue('')
    })
  }

  test('leaves name and email checks to the browser too', async ({ sharedBusiness, visitor }) => {
    const page = await visitor(sharedBusiness.install)
    await page.goto(`/quote?org=${sharedBusiness.slug}`)
    await page.getByRole('button', { name: 'Submit Quote Request' }).click()
    await expect(page.getByLabel('Full Name')).toBeFocused()
    await expect(page.getByLabel('Full Name')).toHaveJSProperty('validity.valueMissing', true)
    await page.getByLabel('Email').fill('ana')
    await expect(page.getByLabel('Email')).toHaveJSProperty('validity.typeMismatch', true)
  })
})

test('look of the business: its color, light or dark as the phone, and no Toolbox on top', async ({
  freshInstall,
  owner,
  visitor,
}) => {
  const business = await registerBusiness(freshInstall)
  const office = await owner(business)
  const setLook = async (look: { color?: string; showsPoweredBy?: boolean }) => {
    const path = `/api/org/${business.orgId}/settings`
    const answer = await office.request.patch(path, { data: { look }, headers: { Origin: freshInstall.url } })
    expect(answer.status(), await answer.text()).toBe(200)
  }
  await setLook({ color: '#b3122a' })
  const phone = await visitor(freshInstall)
  const page = phone.locator('html')
  const button = phone.getByRole('button', { name: 'Submit Request' })
  await phone.goto(getLeadFormPath(business.slug))
  await expect(phone.getByText(business.owner.orgName, { exact: true })).toBeVisible()
  for (const [colorScheme, theme] of [
    ['light', 'toolbox-day'],
    ['dark', 'toolbox'],
  ] as const) {
    await phone.emulateMedia({ colorScheme })
    await expect(page).toHaveAttribute('data-theme', theme)
    await expect(button).toHaveCSS('background-color', 'rgb(179, 18, 42)')
  }
  await expect(phone.getByText('Powered by Toolbox', { exact: true })).toBeVisible()
  await expect(phone.getByRole('link', { name: /Toolbox|^Home$/ })).toHaveCount(0)
  await phone.goto(`/book/${business.slug}`)
  await expect(phone.locator('link[href^="/p-assets/look-b3122a-"]')).toHaveCount(1)
  await expect(phone.getByText('Powered by Toolbox', { exact: true })).toBeVisible()
  await setLook({ showsPoweredBy: false })
  for (const path of [`/book/${business.slug}`, getLeadFormPath(business.slug)]) {
    await phone.goto(path)
    await expect(phone.getByText(business.owner.orgName, { exact: true })).toBeVisible()
    await expect(phone.getByText('Powered by Toolbox')).toHaveCount(0)
  }
})
