// The whole main job on an install where nothing is set up: from registering to a lead that shows how it was answered.
import { lettersIn, linkIn } from '../support/letters'
import { aCustomer, anOwner } from '../support/people'
import { picture } from '../support/pictures'
import {
  addPhotos,
  answerOnPage,
  expectToast,
  fillLeadForm,
  fillRegistration,
  leadFormAt,
  leadInList,
  openLead,
  sendLead,
  sentReference,
  signIn,
} from '../support/screens'
import { expect, test } from '../support/story'

test('a visitor asks for work, and the owner sees it arrive with its photos and its answers', async ({
  bare,
  visitor,
}) => {
  const owner = anOwner()
  const customer = aCustomer({ name: 'Maria Lopez' })

  const office = await visitor(bare)
  await office.goto('/register')
  await fillRegistration(office, owner)
  await office.getByRole('button', { name: 'Create account' }).click()
  await expectToast(office, 'Account Created!', 'Your account has been created successfully. You can now log in.')
  await expect(office).toHaveURL(/\/login$/)
  await signIn(office, owner)
  await expectToast(office, 'Login successful', 'Welcome back!')
  await expect(office).toHaveURL(/\/app$/)

  // Until the address is confirmed, nothing is sent in the name of the business.
  let proof: string | undefined
  await expect
    .poll(async () => {
      proof = await linkIn(bare, owner.email, /\/confirm-email#[\w-]+/)
      return proof
    })
    .toBeDefined()
  await office.goto(proof ?? '')
  await office.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(office.getByRole('heading', { name: 'Your email address is confirmed' })).toBeVisible()
  await office.getByRole('link', { name: 'Go to Toolbox' }).click()
  await expect(office).toHaveURL(/\/app$/)

  const link = await office.getByRole('link', { name: /\/lead\?org=/ }).getAttribute('href')
  await office
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Leads' })
    .filter({ visible: true })
    .click()
  await expect(office.getByRole('heading', { level: 2, name: 'No leads yet' })).toBeVisible()
  await expect(office.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')

  const phone = await visitor(bare)
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto(link ?? '')
  await expect(phone.getByText(owner.orgName, { exact: true })).toBeVisible()
  await fillLeadForm(phone, customer)
  await addPhotos(phone, [
    await picture(phone, 'roof.jpg'),
    await picture(phone, 'attic.png', { mimeType: 'image/png', hue: 30 }),
  ])
  await sendLead(phone)
  // The sentence under it depends on the hour of the day.
  await expectToast(phone, 'Request Submitted!')
  await expect(phone.getByLabel('Full Name')).toHaveValue('')
  expect(await sentReference(phone)).toMatch(/^[0-9a-f]{8}$/)

  // Nobody reloads the list.
  await expect(leadInList(office, customer.name)).toBeVisible({ timeout: 5000 })
  await openLead(office, customer.name)
  await expect(office.getByText(customer.notes, { exact: true })).toBeVisible()
  for (const alt of ['Photo 1', 'Photo 2']) {
    const photo = office.getByRole('img', { name: alt, exact: true })
    await photo.scrollIntoViewIfNeeded()
    await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  }
  await expect(answerOnPage(office, 'Automatic reply', 'SMS').getByText('Not sent: SMS is not set up')).toBeVisible()
  const email = answerOnPage(office, 'Automatic reply', 'email')
  await expect(email.getByText(/^Saved as .*\/mail\/.*\.eml: email is not set up$/)).toBeVisible()

  const [letter, ...more] = await lettersIn(bare, customer.email)
  expect(more).toEqual([])
  await expect(email).toContainText(`/mail/${letter?.file}: email is not set up`)
  expect(letter?.text).toMatch(/^Content-Type: multipart\/alternative/m)
  expect(letter?.text).toMatch(/^Content-Type: text\/plain/m)
  expect(letter?.text).toMatch(/^Content-Type: text\/html/m)
})

test('the form belongs to the business of its address', async ({ shop, visitor }) => {
  const page = await visitor(shop.house)
  await page.goto(leadFormAt(shop.slug))
  await expect(page.getByRole('heading', { level: 1, name: 'Get Your Free Quote' })).toBeVisible()
  await expect(page.getByText(shop.owner.orgName, { exact: true })).toBeVisible()
  await expect(
    page.getByText(`By submitting, you agree to receive communications from ${shop.owner.orgName} about your request`),
  ).toBeVisible()
  await expect(page.getByText(/Reply STOP to opt out of texts\./)).toBeVisible()
})
