// With Twilio and a mail server: each answer is sent once, and the lead shows that it was sent.
import { registerBusiness, allowNoticesAtAnyHour } from '../support/business'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import {
  addPhotos,
  findReply,
  fillLeadForm,
  getLeadFormPath,
  findLead,
  findNotice,
  openLead,
  openTab,
  sendLead,
  readReference,
} from '../support/screens'
import { expect, test } from '../support/fixtures'

test('new lead: one text and one email to the customer, one email to the owner', async ({
  connected,
  visitor,
  owner,
}) => {
  const { install, twilio, mailbox } = connected
  const business = await registerBusiness(install)
  await allowNoticesAtAnyHour(business)
  const customer = buildCustomer()
  const office = await owner(business)
  await office.goto('/app/leads')
  await expect(office.getByText('No leads yet')).toBeVisible()
  await expect(office.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')

  const page = await visitor(install)
  await page.goto(getLeadFormPath(business.slug))
  await fillLeadForm(page, customer)
  await addPhotos(page, [await drawPicture(page, 'roof.jpg'), await drawPicture(page, 'gutter.jpg', { hue: 20 })])
  await sendLead(page)
  await readReference(page)

  await expect(findLead(office, customer.name)).toBeVisible()
  await openLead(office, customer.name)
  for (const way of ['SMS', 'email'] as const)
    await expect(findReply(office, 'Automatic reply', way).getByText('Sent', { exact: true })).toBeVisible()
  await openTab(office, 'History')
  await expect(findNotice(office, 'email').getByText('sent', { exact: true })).toBeVisible()

  const texts = await twilio.textsTo(customer.e164)
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatchObject({ to: customer.e164, from: '+15005550006', messaging_service_sid: null })
  // In open hours it names a time, otherwise when the request is read.
  expect(texts[0]?.body).toMatch(/got your request\. (We'll reply within 1 hour\.|We're closed right now\.)/)
  expect(texts[0]?.body).toContain(business.owner.orgName)
  expect(texts[0]?.body).toContain('Reply STOP to opt out.')
  expect(texts[0]?.validity_period).toBeGreaterThan(0)

  const emails = mailbox.lettersTo(customer.email)
  expect(emails).toHaveLength(1)
  expect(emails[0]?.raw).toMatch(/^Message-ID: <.+>\r$/m)
  expect(emails[0]?.raw).toMatch(/^Content-Type: text\/plain/m)
  expect(emails[0]?.raw).toMatch(/^Content-Type: text\/html/m)
  expect(mailbox.lettersTo(business.owner.email).filter(({ raw }) => raw.includes(customer.name))).toHaveLength(1)
})
