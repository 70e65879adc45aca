// The inbox: what customers write and ring comes in by itself, the owner answers, and nobody is texted who said no.
import { openBusiness, putLead } from '../support/business'
import { findings } from '../support/axe'
import { keptOnDevice } from '../support/device'
import { openThread, said, threadInList, watchInbox, writeText } from '../support/inbox'
import { aCustomer } from '../support/people'
import { picture } from '../support/pictures'
import { expectToast, leadInList } from '../support/screens'
import { expect, test } from '../support/story'

/** Fast enough that nobody thinks of reloading. */
const LIVE = { timeout: 5000 }
/** Sounds like an opt-out, and may be none. */
const DOUBTFUL = 'please stop texting me'

test('a text comes in by itself, the owner answers, and the delivery is shown', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await expect(office.getByText('Nobody is waiting')).toBeVisible()

  await twilio.text(house, customer.e164, 'Water runs down the attic wall. Can you come today?')
  const row = threadInList(office, 'Water runs down the attic wall')
  await expect(row).toBeVisible(LIVE)
  await expect(row.getByText('1 unread')).toBeAttached()
  await expect(office.getByRole('link', { name: /^Inbox/ }).filter({ visible: true })).toContainText('1')
  await openThread(office, 'Water runs down')
  await expect(said(office, 'Can you come today?')).toBeVisible()

  await writeText(office, 'We can be there at three.')
  const answer = said(office, 'We can be there at three.')
  await expect(answer.getByText('Sent', { exact: true })).toBeVisible()
  await expect
    .poll(async () => (await twilio.textsTo(customer.e164)).filter(({ body }) => body === 'We can be there at three.'))
    .toHaveLength(1)
  const text = (await twilio.textsTo(customer.e164)).find(({ body }) => body === 'We can be there at three.')
  await twilio.report(house, text?.sid ?? '', 'delivered')
  await expect(answer.getByText('Delivered', { exact: true })).toBeVisible(LIVE)
  await expect(office.getByRole('link', { name: /^Inbox/ }).filter({ visible: true })).not.toContainText('1')

  // The same stands on the lead's page, and goes on there.
  await office.goto('/app/leads')
  await office
    .getByRole('link', { name: /^View Details of/ })
    .first()
    .click()
  await expect(said(office, 'We can be there at three.').getByText('Delivered', { exact: true })).toBeVisible()
  await twilio.text(house, customer.e164, 'Thank you!')
  await expect(said(office, 'Thank you!')).toBeVisible(LIVE)
})

test('who texts STOP can be written to no more, and what waited for them is stopped', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await twilio.text(house, customer.e164, 'What does a new gutter cost?')
  await threadInList(office, 'What does a new gutter cost?').waitFor()
  await openThread(office, 'What does a new gutter cost?')
  await office.getByRole('textbox', { name: 'Text message' }).fill('Here is the price you asked for.')
  await office.getByRole('button', { name: 'Later' }).click()
  await office.getByRole('button', { name: 'Tomorrow, 8:00 AM' }).click()
  const waiting = said(office, 'Here is the price you asked for.')
  await expect(waiting.getByText(/^Goes out tomorrow 8:00 AM/)).toBeVisible()

  await twilio.text(house, customer.e164, 'STOP')
  await expect(office.getByText(/^They said STOP on .*: nothing can be sent by text$/)).toBeVisible(LIVE)
  await expect(office.getByRole('textbox', { name: 'Text message' })).toBeHidden()
  await expect(waiting.getByText('Not sent: they said STOP', { exact: true })).toBeVisible()
  await expect(waiting.getByRole('button', { name: 'Send again' })).toBeHidden()
  await waiting.getByRole('button', { name: /Not sent: they said STOP/ }).click()
  await expect(office.getByRole('dialog', { name: 'Why was this not sent?' })).toContainText('They said STOP', {
    ignoreCase: true,
  })
  await office.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await office.goto('/app/inbox')
  await expect(threadInList(office, 'STOP').getByText('STOP', { exact: true }).first()).toBeVisible()
  expect((await twilio.textsTo(customer.e164)).filter(({ body }) => body.includes('the price'))).toEqual([])
})

test('what may have meant STOP waits for the owner’s word', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await twilio.text(house, customer.e164, DOUBTFUL)
  await expect(threadInList(office, DOUBTFUL).getByText('May want no texts')).toBeVisible(LIVE)
  await openThread(office, DOUBTFUL)
  await expect(office.getByText('They may have asked to stop: confirm or lift')).toBeVisible()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toBeHidden()
  await office.getByRole('button', { name: 'They did not mean that' }).click()
  await expectToast(office, 'Pause lifted')
  await writeText(office, 'All right, we keep in touch.')
  await expect(said(office, 'All right, we keep in touch.').getByText('Sent', { exact: true })).toBeVisible()
})

test('a call that nobody answered stands in the list, and the caller gets one text', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await twilio.ring(house, customer.e164)
  const row = threadInList(office, customer.phone)
  await expect(row.getByText('Missed call')).toBeVisible(LIVE)
  await openThread(office, customer.phone)
  await expect(said(office, 'Missed call').first()).toBeVisible()
  await expect(office.getByRole('log').getByText('Text after a missed call')).toBeVisible({ timeout: 25_000 })
  await expect.poll(async () => (await twilio.textsTo(customer.e164)).length, { timeout: 20_000 }).toBe(1)
  await office.goto('/app/leads')
  await expect(leadInList(office, customer.phone).getByText('Missed call', { exact: true })).toBeVisible()
})

test('a photo by text is shown, and opens large', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  const { buffer } = await picture(office, 'roof.jpg')
  await twilio.text(house, customer.e164, 'It looks like this.', [buffer])
  await threadInList(office, 'It looks like this.').waitFor()
  await openThread(office, 'It looks like this.')
  const photo = said(office, 'It looks like this.').getByRole('img', { name: 'Photo 1' })
  await expect
    .poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth), { timeout: 20_000 })
    .toBeGreaterThan(0)
  await office.getByRole('button', { name: 'Open photo 1' }).click()
  await expect(office.getByRole('dialog').getByRole('img')).toBeVisible()
})

test('without a number the owner texts from their own phone, and notes it in one tap', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  const lead = await putLead(business, customer)
  const office = await owner(business)
  await office.goto(`/app/leads/${lead}`)
  await office.getByRole('textbox', { name: 'Text message' }).fill('Hi, this is Robin. When can we look at it?')
  const link = office.getByRole('link', { name: 'Text from my phone' }).last()
  await expect(link).toHaveAttribute(
    'href',
    `sms:${customer.e164}?body=${encodeURIComponent('Hi, this is Robin. When can we look at it?')}`,
  )
  // The phone's own app opens outside the browser; here the tap alone counts.
  await link.evaluate((element) => element.addEventListener('click', (event) => event.preventDefault()))
  await link.click()
  await office.getByRole('button', { name: 'I sent it' }).click()
  await expectToast(office, 'Noted')
  await expect(said(office, 'When can we look at it?').getByText('Sent from your own phone')).toBeVisible()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toHaveValue('')
})

test('what was typed is kept, and cannot be lost by a reload', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await twilio.text(house, customer.e164, 'Are you open on Saturday?')
  await threadInList(office, 'Are you open on Saturday?').waitFor()
  await openThread(office, 'Are you open on Saturday?')
  await office.getByRole('textbox', { name: 'Text message' }).fill('Yes, from eight')
  // Encrypting it takes the browser a moment.
  await expect.poll(() => keptOnDevice(office), { intervals: [20] }).toContain('Yes, from eight')
  await office.reload()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toHaveValue('Yes, from eight')
})

test('a text whose answer is lost on the way is sent once, however often it is tried', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await twilio.text(house, customer.e164, 'Is the truck on its way?')
  await threadInList(office, 'Is the truck on its way?').waitFor()
  await openThread(office, 'Is the truck on its way?')
  // The server hears it, and the phone never hears the server.
  await office.route(
    '**/api/customers/*/messages',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await writeText(office, 'Ten minutes.')
  await expect(office.getByText(/^Not sent: There is no connection/)).toBeVisible()
  await expect.poll(() => keptOnDevice(office), { intervals: [20] }).toContain('Ten minutes.')
  await office.reload()
  await office.getByRole('button', { name: 'Try again' }).click()
  await expect(said(office, 'Ten minutes.')).toHaveCount(1)
  await expect(said(office, 'Ten minutes.').getByText('Sent', { exact: true })).toBeVisible()
  expect((await twilio.textsTo(customer.e164)).filter(({ body }) => body === 'Ten minutes.')).toHaveLength(1)
})

test('without a network the words are kept, and go when it is back', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  await twilio.text(house, customer.e164, 'Which day suits you?')
  await threadInList(office, 'Which day suits you?').waitFor()
  await openThread(office, 'Which day suits you?')
  await office.context().setOffline(true)
  await office.getByRole('textbox', { name: 'Text message' }).fill('Tuesday.')
  await expect(
    office.getByText('You are offline. What you write is kept here; send it when you are back.'),
  ).toBeVisible()
  await expect(office.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await office.context().setOffline(false)
  await office.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(said(office, 'Tuesday.').getByText('Sent', { exact: true })).toBeVisible()
})

test('what waits to be sent is stopped at a word', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const customer = aCustomer()
  const business = await openBusiness(house)
  const office = await owner(business)
  await watchInbox(office)
  await twilio.text(house, customer.e164, 'Call me next week')
  await threadInList(office, 'Call me next week').waitFor()
  await openThread(office, 'Call me next week')
  await office.getByRole('textbox', { name: 'Text message' }).fill('It is next week.')
  await office.getByRole('button', { name: 'Later' }).click()
  await office.getByRole('button', { name: 'Tomorrow, 8:00 AM' }).click()
  const waiting = said(office, 'It is next week.')
  await waiting.getByRole('button', { name: 'Do not send' }).click()
  await expect(waiting.getByText(`Not sent: cancelled by ${business.owner.name}`)).toBeVisible()
  await expect(waiting.getByRole('button', { name: 'Do not send' })).toBeHidden()
})

test('the screens of the inbox have nothing axe could name in either theme', async ({ ownLine, owner }) => {
  const { house, twilio } = ownLine
  const office = await owner(await openBusiness(house))
  await watchInbox(office)
  expect(await findings(office), 'empty').toEqual([])
  const [one, two] = [aCustomer(), aCustomer()]
  await twilio.text(house, one.e164, 'Can you come today?')
  await twilio.ring(house, two.e164)
  await threadInList(office, 'Missed call').waitFor()
  await threadInList(office, 'Can you come today?').waitFor()
  expect(await findings(office), 'list').toEqual([])
  await openThread(office, 'Can you come today?')
  await writeText(office, 'We can.')
  await said(office, 'We can.').waitFor()
  expect(await findings(office), 'conversation').toEqual([])
  await office.getByRole('button', { name: 'More about this conversation' }).click()
  await office.getByRole('dialog').getByLabel('Whose is it?').waitFor()
  expect(await findings(office), 'about').toEqual([])
  await office.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
  await office.getByRole('button', { name: 'Replies' }).click()
  await office.getByRole('button', { name: 'New reply' }).click()
  expect(await findings(office), 'a new reply').toEqual([])
  await office.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
  await twilio.text(house, one.e164, 'STOP')
  await office.getByText(/^They said STOP/).waitFor()
  expect(await findings(office), 'stopped').toEqual([])
})
