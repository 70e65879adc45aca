// An unconfigured install: from registration to a lead that shows its replies.
import { savedEmailsTo, findEmailedLink } from '../support/saved-emails'
import { buildCustomer, buildOwner } from '../support/people'
import { drawPicture } from '../support/pictures'
import {
  addPhotos,
  findReply,
  expectToast,
  fillLeadForm,
  fillRegistration,
  getLeadFormPath,
  findLead,
  openLead,
  sendLead,
  readReference,
  signIn,
} from '../support/screens'
import { expect, test } from '../support/fixtures'

test('new install: a visitor submits a request, and the owner sees it with photos and replies', async ({
  freshInstall,
  visitor,
}) => {
  const owner = buildOwner()
  const customer = buildCustomer({ name: 'Maria Lopez' })

  const office = await visitor(freshInstall)
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
      proof = await findEmailedLink(freshInstall, owner.email, /\/confirm-email#[\w-]+/)
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

  const phone = await visitor(freshInstall)
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto(link ?? '')
  await expect(phone.getByText(owner.orgName, { exact: true })).toBeVisible()
  await fillLeadForm(phone, customer)
  await addPhotos(phone, [
    await drawPicture(phone, 'roof.jpg'),
    await drawPicture(phone, 'attic.png', { mimeType: 'image/png', hue: 30 }),
  ])
  await sendLead(phone)
  // The sentence under it depends on the hour of the day.
  await expectToast(phone, 'Request Submitted!')
  await expect(phone.getByRole('heading', { level: 1, name: 'We have your request' })).toBeFocused()
  await expect(phone.getByLabel('Full Name')).toHaveCount(0)
  expect(await readReference(phone)).toMatch(/^[0-9a-f]{8}$/)

  // Nobody reloads the list.
  await expect(findLead(office, customer.name)).toBeVisible()
  await openLead(office, customer.name)
  await expect(office.getByText(customer.notes, { exact: true }).first()).toBeVisible()
  for (const alt of ['Photo 1', 'Photo 2']) {
    const photo = office.getByRole('img', { name: alt, exact: true })
    await photo.scrollIntoViewIfNeeded()
    await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  }
  await expect(findReply(office, 'Automatic reply', 'SMS').getByText('Not sent: SMS is not set up')).toBeVisible()
  const email = findReply(office, 'Automatic reply', 'email')
  await expect(email.getByText('Saved as a file: email is not set up')).toBeVisible()

  const [letter, ...more] = await savedEmailsTo(freshInstall, customer.email)
  expect(more).toEqual([])
  expect(letter?.text).toMatch(/^Content-Type: multipart\/alternative/m)
  expect(letter?.text).toMatch(/^Content-Type: text\/plain/m)
  expect(letter?.text).toMatch(/^Content-Type: text\/html/m)
})

test('lead form: belongs to the business of its address', async ({ sharedBusiness, visitor }) => {
  const page = await visitor(sharedBusiness.install)
  await page.goto(getLeadFormPath(sharedBusiness.slug))
  await expect(page.getByRole('heading', { level: 1, name: 'Get Your Free Quote' })).toBeVisible()
  await expect(page.getByText(sharedBusiness.owner.orgName, { exact: true })).toBeVisible()
  await expect(
    page.getByText(
      `By submitting, you agree to receive communications from ${sharedBusiness.owner.orgName} about your request`,
    ),
  ).toBeVisible()
  await expect(page.getByText(/Reply STOP to opt out of texts\./)).toBeVisible()
})
