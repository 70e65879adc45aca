// The promise clock before one's eyes: the timer of a lead, a note that settles it, and what the editor says of its words.
import { openBusiness } from '../support/business'
import { aCustomer } from '../support/people'
import { PushService } from '../support/push-service'
import { leadInList } from '../support/screens'
import { underServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/story'
import { dayOf, post } from '../support/week'

const DAY_MS = 24 * 60 * 60_000
// The time counts from the next opening: minutes are left in open hours, hours at night, days on a Friday evening.
// Out of hours it names the opening, as the customer was told.
const TIMER = /^Answer (?:by|after opening) (\w{3})\w* \d{1,2}:\d\d [AP]M, \d{1,2} (?:min|h|d) left$/

const weekday = (day: string) =>
  new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' }).format(new Date(`${day}T12:00:00Z`))

test('a quote request runs a timer on the list, the board and its page, until somebody says that they have answered', async ({
  install,
  owner,
}) => {
  // A time is promised only where somebody would be told: the owner's phone takes alerts.
  const pushes = await PushService.start()
  const business = await openBusiness(await install(pushes.variables))
  const page = await owner(business)
  await post(page, business, '/api/push/devices', { ...pushes.device().subscription, label: 'Phone' })
  const { name, email, phone } = aCustomer({ name: 'Nora Field' })
  await post(page, business, '/api/quotes/create', {
    customerName: name,
    email,
    phone,
    serviceType: 'Roof Repair',
    orgId: business.orgId,
  })

  await page.goto('/app/leads')
  await expect(leadInList(page, name)).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()
  const dueOn = TIMER.exec((await page.getByText(TIMER).textContent()) ?? '')?.[1]
  const due =
    [0, 1, 2, 3, 4].map((days) => dayOf(new Date(Date.now() + days * DAY_MS))).find((day) => weekday(day) === dueOn) ??
    ''
  await page.goto('/app/leads?promise=owed')
  await expect(page.getByText('wait for a promised answer')).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()

  // The timer needs no network, not even for the start.
  await page.goto('/app/leads')
  await expect(page.getByText(TIMER)).toBeVisible()
  await underServiceWorker(page)
  await page.context().setOffline(true)
  await page.reload()
  await expect(page.getByText('You are offline. What you see was saved on this device.')).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()
  await page.context().setOffline(false)

  await page.getByRole('link', { name: `View Details of ${name}` }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page.getByText(TIMER)).toBeVisible()
  await page.getByRole('button', { name: 'I have answered' }).click()
  await expect(page.getByText('Noted', { exact: true })).toBeVisible()
  await expect(page.getByText(TIMER)).toBeHidden()
  await expect(page.getByText('Answered outside of Toolbox')).toBeVisible()

  // It is owed no more, and counts as kept on the day it is due, which is today only in open hours or before them.
  await page.goto('/app/leads?promise=owed')
  await expect(page.getByText('No leads: wait for a promised answer', { exact: true })).toBeVisible()
  const keptOn = (day: string) => page.goto(`/app/leads?promise=kept&from=${day}&to=${day}`)
  // Figures are counted a moment after what they count.
  await expect(async () => {
    await keptOn(due)
    await expect(leadInList(page, name)).toBeVisible({ timeout: 2000 })
  }).toPass({ timeout: 20_000 })
  const before = dayOf(new Date(Date.now() - DAY_MS))
  await keptOn(before)
  await expect(page.getByText(/^No leads in these days: .* · answered as promised$/)).toBeVisible()
  await page.goto('/app')
  await expect(page.getByRole('link', { name: '– no promised answer was due this week' })).toBeVisible()
  await pushes.stop()
})

test('where no alert is on the settings say that no time is promised', async ({ bare, owner }) => {
  const page = await owner(await openBusiness(bare))
  await page.goto('/app/settings')
  await expect(page.getByText('No alert is on: we promise no time')).toBeVisible()
  await expect(page.getByText('Alerts on devices: off.')).toBeVisible()
})

test('the editor says what the words of a template promise', async ({ bare, owner }) => {
  const page = await owner(await openBusiness(bare))
  await page.goto('/app/settings?tab=communications')
  await expect(page.getByText('These words promise an answer within 1 hour').first()).toBeVisible()
})
