// The response promise: timer of a lead, a note that settles it, and the editor's hints.
import { registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { PushService } from '../support/push-service'
import { findLead, openTab } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'
import { toBusinessDay, postAsPage } from '../support/seed-week'

const DAY_MS = 24 * 60 * 60_000
// The time counts from the next opening: minutes are left in open hours, hours at night, days on a Friday evening.
// A time of today has no weekday.
const TIMER = /^Answer by (?:(\w{3}) \d{1,2}:\d\d [AP]M|\d{1,2}:\d\d [AP]M today), \d{1,2} (?:min|h|d) left$/

const weekday = (day: string) =>
  new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' }).format(new Date(`${day}T12:00:00Z`))

test('response promise: a quote request starts a timer on list, board and page until it is answered', async ({
  startInstall,
  owner,
}) => {
  // A time is promised only with a recipient of alerts: the owner's phone.
  const pushes = await PushService.start()
  const business = await registerBusiness(await startInstall(pushes.variables))
  const page = await owner(business)
  await postAsPage(page, business, '/api/push/devices', { ...pushes.device().subscription, label: 'Phone' })
  const { name, email, phone } = buildCustomer({ name: 'Nora Field' })
  await postAsPage(page, business, '/api/quotes/create', {
    customerName: name,
    email,
    phone,
    serviceType: 'Roof Repair',
    orgId: business.orgId,
  })

  await page.goto('/app/leads')
  await expect(findLead(page, name)).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()
  const dueOn = TIMER.exec((await page.getByText(TIMER).textContent()) ?? '')?.[1]
  const due =
    [0, 1, 2, 3, 4]
      .map((days) => toBusinessDay(new Date(Date.now() + days * DAY_MS)))
      .find((day) => dueOn === undefined || weekday(day) === dueOn) ?? ''
  await page.goto('/app/leads?promise=owed')
  await expect(page.getByText('wait for a promised answer')).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()

  // The timer needs no network, not even for the start.
  await page.goto('/app/leads')
  await expect(page.getByText(TIMER)).toBeVisible()
  await waitForServiceWorker(page)
  await page.context().setOffline(true)
  await page.reload()
  await expect(page.getByText('You are offline. What you see was saved on this device.')).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()
  await page.context().setOffline(false)

  await page.getByRole('link', { name: `View Details of ${name}` }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()
  await page.getByRole('button', { name: 'Mark as answered' }).click()
  await expect(page.getByText('Noted', { exact: true })).toBeVisible()
  await expect(page.getByText(TIMER)).toBeHidden()
  await openTab(page, 'History')
  await expect(page.getByText('Answered outside of Toolbox')).toBeVisible()

  // It is owed no more, and counts as kept on the day it is due, which is today only in open hours or before them.
  await page.goto('/app/leads?promise=owed')
  await expect(page.getByText('No leads: wait for a promised answer', { exact: true })).toBeVisible()
  const keptOn = (day: string) => page.goto(`/app/leads?promise=kept&from=${day}&to=${day}`)
  const none = page.getByText(/^No leads in these days: .* · answered as promised$/)
  // Figures are counted a moment after what they count.
  await expect(async () => {
    await keptOn(due)
    await expect(findLead(page, name).or(none).first()).toBeVisible()
    expect(await none.isVisible()).toBe(false)
  }).toPass({ timeout: 20_000 })
  const before = toBusinessDay(new Date(Date.now() - DAY_MS))
  await keptOn(before)
  await expect(none).toBeVisible()
  await page.goto('/app')
  await expect(page.getByRole('link', { name: '– no promised answer was due this week' })).toBeVisible()
  await pushes.stop()
})

test('response promise without alerts: the settings say that no time is promised', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/settings/recipients')
  await expect(page.getByText('No alert is on: we promise no time')).toBeVisible()
  await expect(page.getByText('Alerts on devices: off.')).toBeVisible()
})

test('response promise in templates: the editor names what the wording promises', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/settings/templates/sms')
  await expect(page.getByText('These words promise an answer within 1 hour').first()).toBeVisible()
})
