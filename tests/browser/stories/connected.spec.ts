// With Twilio and a mail server set up: each answer leaves once, and the lead says that it was sent.
import { openBusiness, tellAtAnyHour } from '../support/business'
import { aCustomer } from '../support/people'
import { picture } from '../support/pictures'
import {
  addPhotos,
  answerOnPage,
  fillLeadForm,
  leadFormAt,
  leadInList,
  noticeOnPage,
  openLead,
  sendLead,
  sentReference,
} from '../support/screens'
import { expect, test } from '../support/story'

test('one text and one email go to the customer, one email to the owner', async ({ connected, visitor, owner }) => {
  const { house, twilio, mailbox } = connected
  const business = await openBusiness(house)
  await tellAtAnyHour(business)
  const customer = aCustomer()
  const office = await owner(business)
  await office.goto('/app/leads')
  await expect(office.getByText('No leads yet')).toBeVisible()
  await expect(office.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')

  const page = await visitor(house)
  await page.goto(leadFormAt(business.slug))
  await fillLeadForm(page, customer)
  await addPhotos(page, [await picture(page, 'roof.jpg'), await picture(page, 'gutter.jpg', { hue: 20 })])
  await sendLead(page)
  await sentReference(page)

  await expect(leadInList(office, customer.name)).toBeVisible({ timeout: 5000 })
  await openLead(office, customer.name)
  for (const way of ['SMS', 'email'] as const)
    await expect(answerOnPage(office, 'Automatic reply', way).getByText('Sent', { exact: true })).toBeVisible()
  await expect(noticeOnPage(office, 'email').getByText('sent', { exact: true })).toBeVisible()

  const texts = await twilio.textsTo(customer.e164)
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatchObject({ to: customer.e164, from: '+15005550006', messaging_service_sid: null })
  // In open hours it names a time, else when somebody reads it.
  expect(texts[0]?.body).toMatch(
    /got your request\. (We'll reply within 1 hour\.|Reply STOP to opt out\. We're closed right now\.)/,
  )
  expect(texts[0]?.body).toContain(business.owner.orgName)
  expect(texts[0]?.body).toContain('Reply STOP to opt out.')
  expect(texts[0]?.validity_period).toBeGreaterThan(0)

  const letters = mailbox.lettersTo(customer.email)
  expect(letters).toHaveLength(1)
  expect(letters[0]?.raw).toMatch(/^Message-ID: <.+>\r$/m)
  expect(letters[0]?.raw).toMatch(/^Content-Type: text\/plain/m)
  expect(letters[0]?.raw).toMatch(/^Content-Type: text\/html/m)
  expect(mailbox.lettersTo(business.owner.email).filter(({ raw }) => raw.includes(customer.name))).toHaveLength(1)
})
