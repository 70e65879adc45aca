// The inbox: texts and calls appear live, the owner replies, and opted-out customers get no texts.
import type { Page } from '@playwright/test'
import { registerBusiness, createLead } from '../support/business'
import { findAxeViolations } from '../support/axe'
import { readableDeviceData } from '../support/device-data'
import { openThread, messageInThread, findThread, openLiveInbox, sendText } from '../support/inbox'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import { expectToast, findLead } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

const waitingLink = (page: Page) =>
  page
    .getByRole('link', { name: /^(?:Dashboard|Home)/ })
    .filter({ visible: true })
    .first()

/** Sounds like an opt-out, and may be none. */
const DOUBTFUL = 'please stop texting me'

test('inbox: a text appears live, the owner replies, and the delivery status shows', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  await expect(office.getByText('No one is waiting')).toBeVisible()

  await twilio.text(install, customer.e164, 'Water runs down the attic wall. Can you come today?')
  const row = findThread(office, 'Water runs down the attic wall')
  await expect(row).toBeVisible()
  await expect(row.getByText('1 unread')).toBeAttached()
  // One number says who waits: on the link to the worklist.
  await expect(waitingLink(office)).toContainText('1')
  await openThread(office, 'Water runs down')
  await expect(messageInThread(office, 'Can you come today?')).toBeVisible()

  await sendText(office, 'We can be there at three.')
  const answer = messageInThread(office, 'We can be there at three.')
  await expect(answer.getByText('Sent', { exact: true })).toBeVisible()
  await expect
    .poll(async () => (await twilio.textsTo(customer.e164)).filter(({ body }) => body === 'We can be there at three.'))
    .toHaveLength(1)
  const text = (await twilio.textsTo(customer.e164)).find(({ body }) => body === 'We can be there at three.')
  await twilio.report(install, text?.sid ?? '', 'delivered')
  await expect(answer.getByText('Delivered', { exact: true })).toBeVisible()
  await expect(waitingLink(office)).not.toContainText('1')

  // The lead's page shows the same conversation and continues it.
  await office.goto('/app/leads')
  await office
    .getByRole('link', { name: /^View Details of/ })
    .first()
    .click()
  await expect(
    messageInThread(office, 'We can be there at three.').getByText('Delivered', { exact: true }),
  ).toBeVisible()
  await twilio.text(install, customer.e164, 'Thank you!')
  await expect(messageInThread(office, 'Thank you!')).toBeVisible()
})

test('inbox: STOP blocks texts and cancels queued ones', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  await twilio.text(install, customer.e164, 'What does a new gutter cost?')
  await findThread(office, 'What does a new gutter cost?').waitFor()
  await openThread(office, 'What does a new gutter cost?')
  await office.getByRole('textbox', { name: 'Text message' }).fill('Here is the price you asked for.')
  await office.getByRole('button', { name: 'Later' }).click()
  await office.getByRole('button', { name: 'Tomorrow, 8:00 AM' }).click()
  const waiting = messageInThread(office, 'Here is the price you asked for.')
  await expect(waiting.getByText(/^Goes out tomorrow 8:00 AM/)).toBeVisible()

  await twilio.text(install, customer.e164, 'STOP')
  await expect(office.getByText(/^They said STOP on .*: nothing can be sent by text$/)).toBeVisible()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toBeHidden()
  await expect(waiting.getByText('Not sent: they said STOP', { exact: true })).toBeVisible()
  await expect(waiting.getByRole('button', { name: 'Send again' })).toBeHidden()
  await waiting.getByRole('button', { name: /Not sent: they said STOP/ }).click()
  await expect(office.getByRole('dialog', { name: 'Why was this not sent?' })).toContainText('They said STOP', {
    ignoreCase: true,
  })
  await office.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await office.goto('/app/inbox')
  await expect(findThread(office, 'STOP').getByText('STOP', { exact: true }).first()).toBeVisible()
  expect((await twilio.textsTo(customer.e164)).filter(({ body }) => body.includes('the price'))).toEqual([])
})

test('inbox: a possible STOP waits for the owner’s decision', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  await twilio.text(install, customer.e164, DOUBTFUL)
  await expect(findThread(office, DOUBTFUL).getByText('May want no texts')).toBeVisible()
  await openThread(office, DOUBTFUL)
  await expect(office.getByText('They may have asked to stop: confirm or lift')).toBeVisible()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toBeHidden()
  await office.getByRole('button', { name: 'They did not mean that' }).click()
  await office.getByRole('button', { name: 'They may be texted' }).click()
  await expectToast(office, 'Pause lifted')
  await sendText(office, 'All right, we keep in touch.')
  await expect(messageInThread(office, 'All right, we keep in touch.').getByText('Sent', { exact: true })).toBeVisible()
})

test('inbox: a missed call is listed, and the caller gets one text', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  await twilio.ring(install, customer.e164)
  const row = findThread(office, customer.phone)
  await expect(row.getByText('Missed call')).toBeVisible()
  await openThread(office, customer.phone)
  await expect(messageInThread(office, 'Missed call').first()).toBeVisible()
  await expect(office.getByRole('log').getByText('Text after a missed call')).toBeVisible({ timeout: 25_000 })
  await expect.poll(async () => (await twilio.textsTo(customer.e164)).length, { timeout: 20_000 }).toBe(1)
  await office.goto('/app/leads')
  await expect(findLead(office, customer.phone).getByText('Missed call', { exact: true })).toBeVisible()
})

test('inbox: a received photo shows and opens in full size', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  const { buffer } = await drawPicture(office, 'roof.jpg')
  await twilio.text(install, customer.e164, 'It looks like this.', [buffer])
  await findThread(office, 'It looks like this.').waitFor()
  await openThread(office, 'It looks like this.')
  const photo = messageInThread(office, 'It looks like this.').getByRole('img', { name: 'Photo 1' })
  await expect
    .poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth), { timeout: 20_000 })
    .toBeGreaterThan(0)
  await office.getByRole('button', { name: 'Open photo 1' }).click()
  await expect(office.getByRole('dialog').getByRole('img')).toBeVisible()
})

test('inbox without a sending number: the owner texts from their own phone and notes it in one tap', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  const lead = await createLead(business, customer)
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
  await expect(messageInThread(office, 'When can we look at it?').getByText('Sent from your own phone')).toBeVisible()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toHaveValue('')
})

test('inbox: a draft survives a reload', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  await twilio.text(install, customer.e164, 'Are you open on Saturday?')
  await findThread(office, 'Are you open on Saturday?').waitFor()
  await openThread(office, 'Are you open on Saturday?')
  await office.getByRole('textbox', { name: 'Text message' }).fill('Yes, from eight')
  // Encrypting it takes the browser a moment.
  await expect.poll(() => readableDeviceData(office), { intervals: [20] }).toContain('Yes, from eight')
  await office.reload()
  await expect(office.getByRole('textbox', { name: 'Text message' })).toHaveValue('Yes, from eight')
})

test('inbox: a text with a lost response is sent once, whatever the number of retries', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  // As in Safari. The service worker's own requests pass the cut below, and would send the text first.
  await office.addInitScript(() =>
    Object.defineProperty(ServiceWorkerRegistration.prototype, 'sync', { get: () => undefined }),
  )
  await openLiveInbox(office)
  await twilio.text(install, customer.e164, 'Is the truck on its way?')
  await findThread(office, 'Is the truck on its way?').waitFor()
  await openThread(office, 'Is the truck on its way?')
  // The server hears it, and the phone never hears the server.
  const cut = '**/api/customers/*/messages'
  await office.route(cut, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await sendText(office, 'Ten minutes.')
  await expect(office.getByText('Waits for a connection')).toBeVisible()
  await expect.poll(() => readableDeviceData(office), { intervals: [20] }).toContain('Ten minutes.')
  await office.unrouteAll({ behavior: 'wait' })
  await office.reload()
  await expect(messageInThread(office, 'Ten minutes.')).toHaveCount(1)
  await expect(messageInThread(office, 'Ten minutes.').getByText('Sent', { exact: true })).toBeVisible()
  expect((await twilio.textsTo(customer.e164)).filter(({ body }) => body === 'Ten minutes.')).toHaveLength(1)
})

test('inbox offline: a message waits, over a reload too, can be undone, and leaves once when online again', async ({
  ownLine,
  owner,
}) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  await twilio.text(install, customer.e164, 'Which day suits you?')
  await findThread(office, 'Which day suits you?').waitFor()
  await openThread(office, 'Which day suits you?')
  await waitForServiceWorker(office)
  await office.context().setOffline(true)
  const field = office.getByRole('textbox', { name: 'Text message' })
  const send = office.getByRole('button', { name: 'Send', exact: true })
  await field.fill('Monday.')
  await expect(
    office.getByText('You are offline. What you send waits here and goes out when you are back online.'),
  ).toBeVisible()
  await send.click()
  await expect(office.getByText('Waits for a connection')).toBeVisible()
  await office.getByRole('log').getByRole('button', { name: 'Undo' }).click()
  await expect(office.getByText('Waits for a connection')).toHaveCount(0)
  await expect(field).toHaveValue('Monday.')

  await field.fill('Tuesday.')
  await send.click()
  await expect(office.getByText('Waits for a connection')).toBeVisible()
  await office.reload()
  await expect(office.getByText('Waits for a connection')).toBeVisible()
  expect(await findAxeViolations(office)).toEqual([])
  await office.context().setOffline(false)
  await expect(messageInThread(office, 'Tuesday.').getByText('Sent', { exact: true })).toBeVisible()
  await expect(office.getByText('Waits for a connection')).toHaveCount(0)
  const texts = await twilio.textsTo(customer.e164)
  expect(texts.filter(({ body }) => body === 'Tuesday.')).toHaveLength(1)
  expect(texts.filter(({ body }) => body === 'Monday.')).toHaveLength(0)
})

test('inbox: a queued message can be cancelled', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const customer = buildCustomer()
  const business = await registerBusiness(install)
  const office = await owner(business)
  await openLiveInbox(office)
  await twilio.text(install, customer.e164, 'Call me next week')
  await findThread(office, 'Call me next week').waitFor()
  await openThread(office, 'Call me next week')
  await office.getByRole('textbox', { name: 'Text message' }).fill('It is next week.')
  await office.getByRole('button', { name: 'Later' }).click()
  await office.getByRole('button', { name: 'Tomorrow, 8:00 AM' }).click()
  const waiting = messageInThread(office, 'It is next week.')
  await waiting.getByRole('button', { name: 'Do not send' }).click()
  await expect(waiting.getByText(`Not sent: cancelled by ${business.owner.name}`)).toBeVisible()
  await expect(waiting.getByRole('button', { name: 'Do not send' })).toBeHidden()
})

test('inbox screens: no axe violations in either theme', async ({ ownLine, owner }) => {
  const { install, twilio } = ownLine
  const office = await owner(await registerBusiness(install))
  await openLiveInbox(office)
  expect(await findAxeViolations(office), 'empty').toEqual([])
  const [one, two] = [buildCustomer(), buildCustomer()]
  await twilio.text(install, one.e164, 'Can you come today?')
  await twilio.ring(install, two.e164)
  await findThread(office, 'Missed call').waitFor()
  await findThread(office, 'Can you come today?').waitFor()
  expect(await findAxeViolations(office), 'list').toEqual([])
  await openThread(office, 'Can you come today?')
  await sendText(office, 'We can.')
  await messageInThread(office, 'We can.').waitFor()
  expect(await findAxeViolations(office), 'conversation').toEqual([])
  await office.getByRole('button', { name: 'More about this conversation' }).click()
  await office.getByRole('dialog').getByLabel('Whose is it?').waitFor()
  expect(await findAxeViolations(office), 'about').toEqual([])
  await office.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
  await office.getByRole('button', { name: 'Replies' }).click()
  await office.getByRole('button', { name: 'New reply' }).click()
  expect(await findAxeViolations(office), 'a new reply').toEqual([])
  await office.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
  await twilio.text(install, one.e164, 'STOP')
  await office.getByText(/^They said STOP/).waitFor()
  expect(await findAxeViolations(office), 'stopped').toEqual([])
})
