// The settings: saved, shared by all devices, refused at the faulty field, and tested with real messages.
import type { Page } from '@playwright/test'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/fixtures'

const SAVED = 'Your organization settings have been saved'

const card = (page: Page, name: string) => page.getByRole('form', { name })
/** Leaves the field, which saves it. */
const leave = (page: Page) => page.keyboard.press('Tab')

async function openTopic(page: Page, topic: string, heading: string): Promise<void> {
  await page.goto(`/app/settings/${topic}`)
  await expect(page.getByRole('heading', { level: 2, name: heading })).toBeVisible()
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
}

test('settings: saved values survive a reload and appear on another device', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const [page, other] = [await owner(business), await owner(business)]
  await openTopic(page, 'business', 'Business info')
  await openTopic(other, 'business', 'Business info')

  await card(page, 'Business info').getByLabel('Business name').fill('Harbor Plumbing & Sons')
  await leave(page)
  await expectToast(page, 'Settings Updated', SAVED)
  await expect(card(page, 'Business info').getByText('Saved: Harbor Plumbing & Sons', { exact: true })).toBeVisible()
  await card(page, 'Business info').getByLabel('Booking link').fill('https://book.harbor.example/visit')
  await leave(page)
  await expect(card(other, 'Business info').getByLabel('Business name')).toHaveValue('Harbor Plumbing & Sons')
  await expect(card(other, 'Business info').getByLabel('Booking link')).toHaveValue('https://book.harbor.example/visit')

  await openTopic(page, 'notifications', 'Notification settings')
  await card(page, 'Notification settings')
    .getByRole('radio', { name: /^Custom/ })
    .check()
  await card(page, 'Notification settings').getByLabel('Start').fill('06:30')
  // A tab key moves within a field of a time.
  await card(page, 'Notification settings').getByLabel('Start').blur()
  await expect(card(page, 'Notification settings').getByText('Saved: 6:30 AM', { exact: true })).toBeVisible()
  await page.reload()
  await expect(card(page, 'Notification settings').getByLabel('Start')).toHaveValue('06:30')
})

test('settings: a saved field is undone', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'business', 'Business info')
  const industry = card(page, 'Business info').getByLabel('Industry')
  const before = await industry.inputValue()
  await industry.fill('Drains')
  await leave(page)
  await expectToast(page, 'Settings Updated', SAVED)
  await page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('button', { name: 'Undo' }).click()
  await expect(industry).toHaveValue(before)
  await expect(card(page, 'Business info').getByText(`Saved. Industry: ${before}`)).toBeVisible()
  await page.reload()
  await expect(industry).toHaveValue(before)
})

test('settings: a topic is found by its words, and former addresses lead to it', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/settings')
  for (const name of ['Organization', 'Automation', 'Communications', 'Billing', 'Control Panel'])
    await expect(page.getByRole('tab', { name, exact: true })).toBeVisible()
  await page.getByRole('main').getByRole('searchbox', { name: 'Search settings' }).fill('holiday')
  await page
    .getByRole('region', { name: 'Found settings' })
    .getByRole('link', { name: /^Business hours/ })
    .click()
  await expect(page).toHaveURL(/\/app\/settings\/hours$/)
  await page.goto('/app/settings?tab=organization#texting')
  await expect(page).toHaveURL(/\/app\/settings\/texting-number$/)
})

test('settings: concurrent edits of different fields are both kept', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const [page, other] = [await owner(business), await owner(business)]
  await openTopic(page, 'business', 'Business info')
  await openTopic(other, 'business', 'Business info')
  await card(other, 'Business info').getByLabel('Industry').fill('Drains')
  await card(page, 'Business info').getByLabel('Booking link').fill('https://book.harbor.example/visit')
  await leave(page)
  await expectToast(page, 'Settings Updated', SAVED)
  await leave(other)
  await expectToast(other, 'Settings Updated', SAVED)
  for (const one of [page, other]) {
    await expect(card(one, 'Business info').getByLabel('Industry')).toHaveValue('Drains')
    await expect(card(one, 'Business info').getByLabel('Booking link')).toHaveValue('https://book.harbor.example/visit')
  }
})

test('settings: an invalid value shows an error at its field, and the input stays', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'business', 'Business info')
  const info = card(page, 'Business info')
  await info.getByLabel('Business name').fill('')
  await leave(page)
  await expect(info.getByText('Business name is required')).toBeVisible()
  await info.getByLabel('Phone').fill('12')
  await leave(page)
  await expectToast(page, 'Not saved')
  await expect(info.getByLabel('Phone')).toHaveAttribute('aria-invalid', 'true')
  await expect(info.getByLabel('Phone')).toHaveValue('12')
})

test('business hours: saved, also past midnight, with closed dates', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'hours', 'Business hours')
  const hours = page.getByRole('group', { name: 'Business hours', exact: true })
  await hours.getByRole('button', { name: /^Friday/ }).click()
  await hours.getByLabel('Friday opens').fill('21:00')
  await hours.getByLabel('Friday closes').fill('02:00')
  await expect(hours.getByText('9:00 PM to 2:00 AM the next morning').first()).toBeVisible()
  await hours.getByLabel('Date', { exact: true }).fill('2026-12-25')
  await hours.getByLabel('What it is called').fill('Christmas')
  await hours.getByRole('button', { name: 'Add date' }).click()
  await hours.getByRole('button', { name: 'Save changes' }).click()
  await expectToast(page, 'Settings Updated', 'Hours changed. Fri: 9:00 PM to 2:00 AM the next morning. Closed dates')
  await page.reload()
  await expect(hours.getByRole('button', { name: /^Friday/ })).toContainText('9:00 PM to 2:00 AM the next morning')
  await expect(hours.getByText('Fri, Dec 25, 2026 Christmas')).toBeVisible()
})

test('recipients: added once, invalid ones refused, removal undone', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'recipients', 'Recipients')
  const texts = page.getByRole('region', { name: 'SMS recipients' })
  const typed = texts.getByRole('textbox', { name: 'Add a mobile number' })
  const add = texts.getByRole('button', { name: 'Add a mobile number' })
  await typed.fill('12')
  await add.click()
  await expect(texts.getByRole('alert')).toBeVisible()
  for (const way of ['(312) 555-0177', '312.555.0177']) {
    await typed.fill(way)
    await add.click()
    await expect(typed).toHaveValue('')
  }
  await expect(texts.getByRole('listitem')).toHaveText([/\(312\) 555-0177/])
  await texts.getByRole('button', { name: 'Remove (312) 555-0177' }).click()
  await expect(texts.getByRole('listitem')).toHaveCount(0)
  await page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('button', { name: 'Undo' }).click()
  await expect(texts.getByRole('listitem')).toHaveText([/\(312\) 555-0177/])
})

test('automation switch: previews its messages before it is turned on, and turns off at once', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await openTopic(page, 'automations', 'Automations')
  const replies = page.getByRole('switch', { name: /^Automated Communications/ })
  await expect(replies).toBeChecked()
  await replies.click()
  await expectToast(page, 'Settings Updated', 'Automated Communications: off')
  await expect(replies).not.toBeChecked()

  await replies.click()
  const dialog = page.getByRole('dialog', { name: 'Turn on Automated Communications?' })
  await expect(dialog.getByRole('heading', { name: 'Preview the next 30 days' })).toBeVisible()
  await expect(dialog.getByText(/because of it/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Leave it off' }).click()
  await expect(replies).not.toBeChecked()

  await replies.click()
  await dialog.getByRole('button', { name: 'Turn it on' }).click()
  await expect(replies).toBeChecked()
  await page.reload()
  await expect(replies).toBeChecked()
})

test('template fault: shown at its position, refused, and fixed with one tap', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'templates/sms', 'Auto-Reply SMS')
  expect(await page.evaluate(() => scrollY), 'the first template is in sight').toBe(0)
  const editor = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: 'Auto-Reply SMS' }) })
  await editor.getByRole('button', { name: 'Edit as text' }).first().click()
  const message = editor.getByRole('textbox', { name: 'Message' }).first()
  await message.fill('Hi {{ custmerName }},\n{{ businessName }} got it. Reply STOP to opt out.')
  const faults = editor.getByRole('status', { name: 'Faults in this wording' })
  await expect(faults).toContainText('Line 1, column 7')
  await expect(editor.locator('mark', { hasText: 'custmerName' })).toHaveText('custmerName')
  await expect(message).toHaveAttribute('aria-invalid', 'true')

  await editor.getByRole('button', { name: 'Save wording' }).click()
  await expectToast(page, 'Template not saved')
  expect(
    await message.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd)),
  ).toBe('custmerName')

  await faults.getByRole('button', { name: 'Use customerName' }).click()
  await expect(message).toHaveValue('Hi {{ customerName }},\n{{ businessName }} got it. Reply STOP to opt out.')
  await expect(faults).toHaveCount(0)
  const preview = editor.getByRole('region', { name: 'Preview' }).first()
  // Outside the opening hours their sentence stands between.
  await expect(preview).toContainText(`${business.owner.orgName} got it.`)
  await expect(preview).toContainText('Reply STOP to opt out.')
  await expect(preview).not.toContainText('{')
  await expect(preview.getByText('1 text', { exact: true })).toBeVisible()
  await editor.getByRole('button', { name: 'Save wording' }).click()
  await expectToast(page, 'Settings Updated')

  await page.reload()
  await expect(message).toHaveValue(/^Hi \u2068Customer’s first name\u2069,/)
  await editor.getByRole('button', { name: 'Earlier wordings' }).first().click()
  await expect(page.getByRole('dialog').getByText(`by ${business.owner.name}`, { exact: false })).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await editor.getByRole('button', { name: 'Back to our wording' }).click()
  await expect(message).toHaveValue(/We'll reply within 1 hour/)
})

test('template editor: shown only while its switch is on, with separate wording per language', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'templates/missedCall', 'Missed Call SMS')
  const editor = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: 'Missed Call SMS' }) })
  await editor.getByRole('tab', { name: 'Español' }).first().click()
  await expect(editor.getByRole('textbox', { name: 'Message' })).toHaveAttribute('lang', 'es')
  await expect(editor.getByRole('textbox', { name: 'Message' })).toHaveValue(/llamada/)
  await editor.getByRole('switch', { name: /^Send Missed Call SMS/ }).click()
  await expect(editor.getByRole('textbox', { name: 'Message' })).toHaveCount(0)
})

test('template with chips: a chip is inserted, deleted whole, and shown in the preview', async ({
  freshInstall,
  owner,
}) => {
  const page = await owner(await registerBusiness(freshInstall))
  await openTopic(page, 'templates/sms', 'Auto-Reply SMS')
  const message = page.getByRole('textbox', { name: 'Message' }).first()
  await expect(message).not.toHaveValue(/[{}]/)
  await message.press('ControlOrMeta+End')
  await page.getByRole('button', { name: 'Insert Customer’s first name' }).first().click()
  await expect(message).toHaveValue(/\u2068Customer’s first name\u2069$/)
  await message.press('Backspace')
  await expect(message).toHaveValue(/Reply STOP to opt out\.$/)
  await page.getByRole('combobox', { name: 'Only if' }).first().selectOption({ label: 'there is: Business phone' })
  await expect(message).toHaveValue(/1: only if there is: Business phone/)
})

test('unsaved changes: asked about before leaving', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'business', 'Business info')
  const name = card(page, 'Business info').getByLabel('Business name')
  await name.fill('')
  await leave(page)
  await expect(card(page, 'Business info').getByText('Business name is required')).toBeVisible()
  await page.getByRole('link', { name: 'Leads' }).filter({ visible: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay here' }).click()
  await expect(name).toHaveValue('')
  await page.getByRole('link', { name: 'Leads' }).filter({ visible: true }).first().click()
  await dialog.getByRole('button', { name: 'Leave without saving' }).click()
  await expect(page).toHaveURL(/\/app\/leads$/)
})

test('delivery tests without setup: name what is missing', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await openTopic(page, 'tests', 'Test what is set up')
  const reasons = page.getByRole('main').getByRole('alert')
  await page.getByRole('button', { name: 'Send Test Email' }).click()
  await expectToast(page, 'Test email not sent')
  await expect(reasons).toContainText('Email is not set up')
  await expect(page.getByRole('button', { name: 'Send Test SMS' })).toBeDisabled()
  await expect(page.getByRole('link', { name: 'Set up a number' })).toBeVisible()
  await openTopic(page, 'developers', 'Addresses for Twilio')
  const addresses = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: 'Addresses for Twilio' }) })
  for (const [name, path] of [
    ['Texts', 'sms'],
    ['Calls', 'voice'],
    ['Delivery reports', 'message-status'],
  ] as const) {
    const row = addresses.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
    await expect(row).toContainText(`/webhooks/twilio/${path}`)
    await expect(row.getByText('nothing received yet')).toBeVisible()
  }
  const payments = page.getByRole('list', { name: 'Addresses for Stripe' }).getByRole('listitem')
  await expect(payments).toHaveCount(1)
  await expect(payments).toContainText('/webhooks/stripe/')
})

test('delivery tests: really send, and the five tools report their status', async ({
  connected: { install, twilio, mailbox },
  owner,
}) => {
  const business = await registerBusiness(install)
  const page = await owner(business)
  await openTopic(page, 'tests', 'Test what is set up')
  await page.getByRole('button', { name: 'Send Test Email' }).click()
  await expectToast(page, 'Test Email Sent')
  await expect
    .poll(() => mailbox.lettersTo(business.owner.email).some(({ raw }) => raw.includes('Subject: Test email of ')))
    .toBe(true)

  await openTopic(page, 'recipients', 'Recipients')
  const texts = page.getByRole('region', { name: 'SMS recipients' })
  await texts.getByRole('textbox', { name: 'Add a mobile number' }).fill('(312) 555-0171')
  await texts.getByRole('button', { name: 'Add a mobile number' }).click()
  await expect(texts.getByRole('listitem')).toHaveCount(1)
  await openTopic(page, 'tests', 'Test what is set up')
  await page.getByRole('button', { name: 'Send Test SMS' }).click()
  await expectToast(page, 'Test SMS Sent')
  await expect.poll(async () => (await twilio.textsTo('+13125550171')).length).toBe(1)

  await openTopic(page, 'system-status', 'System Status')
  const tools = page.getByRole('list', { name: 'Tools' }).getByRole('heading', { level: 3 })
  await expect(tools).toHaveText([
    'Lead Intake Hub',
    'Auto-Reply + Scheduling',
    'Quote & Job Tracker',
    'Review Booster',
    'Owner KPI Pulse',
  ])
  await expect(async () => {
    await page.getByRole('button', { name: 'Look again' }).click()
    await expect(page.getByRole('list', { name: 'Tools' }).getByText('operational', { exact: true })).not.toHaveCount(0)
  }).toPass()
})
