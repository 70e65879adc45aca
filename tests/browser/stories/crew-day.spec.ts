// A crew member's day: invitation, next job on a phone, and offline work that is sent once.
import type { Locator, Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness } from '../support/business'
import { savedEmailsTo, decodeEmailText } from '../support/saved-emails'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

const PHONE = { width: 390, height: 844 }
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name })
const card = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })

async function post<T>(page: Page, { install }: Business, path: string, data: unknown): Promise<T> {
  const answer = await page.request.post(path, { data, headers: { Origin: install.url, 'X-Toolbox-Client': 'story' } })
  expect(answer.status(), await answer.text()).toBe(201)
  return (await answer.json()) as T
}

/** A job of today for this crew, an hour ahead or, late at night, an hour ago. */
function putJob(
  page: Page,
  business: Business,
  crewId: string,
  over: Record<string, unknown> = {},
): Promise<{ id: string; number: number }> {
  const hour = Number(
    new Intl.DateTimeFormat('en-US', { timeZone: 'America/Chicago', hour: 'numeric', hourCycle: 'h23' }).format(
      new Date(),
    ),
  )
  const startsAt = new Date(Date.now() + (hour < 22 ? 1 : -1) * 60 * 60_000).toISOString()
  const customer = { name: 'Nora Field', phone: buildCustomer().phone }
  return post(page, business, '/api/jobs', {
    customer,
    service: 'roofing',
    address: '12 Oak St',
    zip: '60601',
    crewId,
    startsAt,
    durationMinutes: 60,
    ...over,
  })
}

/** Has the browser call the worker as it does once there is a network again. */
async function callForSync(page: Page, origin: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const found = new Promise<string>((done) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(origin) && !isDeleted)
      if (ours) done(ours.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  await devtools.send('ServiceWorker.dispatchSyncEvent', {
    origin,
    registrationId: await found,
    tag: 'outbox',
    lastChance: true,
  })
}

type Job = {
  status: string
  notes: { body: string; author: string }[]
  files: { moment: string }[]
  checklist: { doneAt: string | null }[]
  events: { kind: string }[]
}

// It is a phone’s day.
test(
  'crew member: joins by link, works a day offline, and every change is sent once',
  { tag: '@phone' },
  async ({ freshInstall, owner, openPage }) => {
    test.setTimeout(120_000)
    const business = await registerBusiness(freshInstall)
    const office = await owner(business)
    const crew = await post<{ id: string }>(office, business, '/api/crews', { name: 'North crew' })
    const job = await putJob(office, business, crew.id, {
      requiredPhotos: 'after',
      checklist: ['Water off'],
      specialInstructions: 'Beware of the dog.',
    })
    const phone = await openPage({ baseURL: freshInstall.url, viewport: PHONE, hasTouch: true, isMobile: true })

    await test.step('the owner invites; the link works once the address is confirmed', async () => {
      const email = `sam.${Date.now()}@crew.example`
      const joins = async () => {
        await expect(phone.getByRole('heading', { level: 1, name: `Join ${business.owner.orgName}` })).toBeVisible()
        await expect(phone.getByLabel(/^Email/)).toHaveValue(email)
        await phone.getByLabel(/^Password/).fill('three blue ladders')
        await phone.getByLabel(/^Confirm password/).fill('three blue ladders')
        await phone.getByRole('button', { name: 'Join', exact: true }).click()
      }
      await office.goto('/app/settings/people')
      await card(office, 'People').getByRole('button', { name: 'Invite someone' }).click()
      const invite = dialog(office, 'Invite someone')
      await invite.getByLabel(/^Name/).fill('Sam Field')
      await invite.getByLabel('Email', { exact: false }).last().fill(email)
      await invite.getByLabel('Crew (optional)').selectOption({ label: 'North crew' })
      await invite.getByRole('button', { name: 'Invite', exact: true }).click()
      const link = await dialog(office, 'Sam Field is invited')
        .getByText(/\/join\//)
        .innerText()
      await phone.goto(new URL(link.replaceAll(/\s/g, '')).pathname)
      await joins()
      // The link that was handed over does not prove that the address is theirs: a mail to it does.
      await expect(phone.getByText('Check your email')).toBeVisible()
      expect((await phone.request.get('/api/auth/me')).status()).toBe(401)
      let proven: string | undefined
      await expect
        .poll(async () => {
          const emails = (await savedEmailsTo(freshInstall, email)).map(({ text }) => decodeEmailText(text))
          proven = /\/join\/[\w-]+~[\w-]+/.exec(emails.find((words) => words.includes('wants to join')) ?? '')?.[0]
          return proven
        })
        .toBeDefined()
      await phone.goto(proven ?? '')
      await joins()
      await expect(phone.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible()
      await phone.getByRole('button', { name: 'Close notification' }).click()
    })

    const next = phone.getByRole('region', { name: 'Next job' })
    await test.step('the next job comes first, with contact links', async () => {
      await expect(next.getByRole('heading', { name: 'Nora Field' })).toBeVisible()
      await expect(next.getByText('Beware of the dog.')).toBeVisible()
      await expect(next.getByRole('link', { name: 'Call' })).toHaveAttribute('href', /^tel:\+1/)
      await expect(next.getByRole('link', { name: 'Map', exact: true })).toHaveAttribute('href', /maps\.google\.com/)
      await expect(phone.getByText('$')).toHaveCount(0)
    })

    await test.step('a job added by the office appears without a reload', async () => {
      await expect(phone.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
      await putJob(office, business, crew.id, {
        customer: { name: 'Otto Brand', phone: buildCustomer().phone },
        startsAt: new Date(Date.now() + 24 * 60 * 60_000).toISOString(),
      })
      await expect(phone.getByText('Otto Brand')).toBeVisible()
    })

    await test.step('on my way, then start', async () => {
      await next.getByText('30 min').click()
      await next.getByRole('button', { name: 'On my way' }).click()
      await expect(next.getByText(/^On the way, there at/)).toBeVisible()
      await next.getByRole('button', { name: 'Start' }).click()
      await expect(next.getByRole('button', { name: 'Done', exact: true })).toBeVisible()
      await next.getByRole('link', { name: 'Nora Field' }).click()
      await expect(phone.getByRole('heading', { level: 1, name: 'Nora Field' })).toBeVisible()
      await waitForServiceWorker(phone)
    })

    await test.step('offline: note, photo, tick and done survive a restart', async () => {
      await phone.context().setOffline(true)
      await card(phone, 'Notes').getByLabel('New note').fill('Valve behind the boiler')
      await card(phone, 'Notes').getByRole('button', { name: 'Add note' }).click()
      await expect(card(phone, 'Notes').getByText('Waiting to be sent')).toBeVisible()
      await phone
        .locator('input[data-moment="after"]')
        .first()
        .setInputFiles([await drawPicture(phone, 'roof.jpg')])
      await expect(phone.getByRole('region', { name: 'After the work' }).getByText('Waiting')).toBeVisible()
      await phone.getByRole('button', { name: 'Done', exact: true }).click()
      await dialog(phone, 'Done here?')
        .getByRole('checkbox', { name: /^Water off/ })
        .check()
      await dialog(phone, 'Done here?').getByRole('button', { name: 'Done', exact: true }).click()
      await expect(phone.getByText(/^Done at/)).toBeVisible()
      await phone.reload()
      await expect(phone.getByText(/^Done at/)).toBeVisible()
      await expect(phone.getByText('4 changes wait to be sent')).toBeVisible()
      await expect(phone.getByRole('region', { name: 'After the work' }).getByRole('img')).toBeVisible()
    })

    await test.step('online again: each change is sent once', async () => {
      await phone.context().setOffline(false)
      await expect(phone.getByText(/wait to be sent|waits to be sent/)).toBeHidden({ timeout: 30_000 })
      await phone.reload()
      await expect(card(phone, 'Notes').getByText('Valve behind the boiler')).toHaveCount(1)
      const found = (await (await office.request.get(`/api/jobs/${job.id}`)).json()) as Job
      expect(found.status).toBe('Completed')
      expect(found.notes).toMatchObject([{ body: 'Valve behind the boiler', author: 'Sam Field' }])
      expect(found.files.map(({ moment }) => moment)).toEqual(['after'])
      expect(found.checklist.map(({ doneAt }) => doneAt !== null)).toEqual([true])
      const kinds = found.events.map(({ kind }) => kind)
      for (const kind of ['on_my_way', 'started', 'completed', 'note_added', 'files_added'])
        expect(
          kinds.filter((one) => one === kind),
          kind,
        ).toHaveLength(1)
    })

    await test.step('changes left when the app closes are sent in the background', async () => {
      await phone.context().setOffline(true)
      await card(phone, 'Notes').getByLabel('New note').fill('The key hangs in the shed')
      await card(phone, 'Notes').getByRole('button', { name: 'Add note' }).click()
      await expect(card(phone, 'Notes').getByText('Waiting to be sent')).toBeVisible()
      await phone.goto('about:blank')
      await phone.context().setOffline(false)
      await callForSync(phone, freshInstall.url)
      await expect
        .poll(async () =>
          ((await (await office.request.get(`/api/jobs/${job.id}`)).json()) as Job).notes.map(({ body }) => body),
        )
        .toEqual(['The key hangs in the shed', 'Valve behind the boiler'])
    })
  },
)

// They are a phone’s screens.
test('crew and invitation screens: no axe violations', { tag: '@phone' }, async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  const crew = await post<{ id: string }>(page, business, '/api/crews', { name: 'North crew' })
  const { id } = await putJob(page, business, crew.id, {
    requiredPhotos: 'before_and_after',
    checklist: ['Water off'],
  })
  await page.goto('/app/today')
  await expect(page.getByRole('button', { name: 'On my way' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.goto(`/app/today/${id}`)
  await expect(page.getByRole('heading', { level: 2, name: 'Photos' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.goto('/app/settings/people')
  await card(page, 'People').getByRole('button', { name: 'Invite someone' }).click()
  await expect(dialog(page, 'Invite someone').getByLabel('Crew (optional)')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.goto('/join/not-a-token')
  await expect(page.getByRole('heading', { name: 'This invitation is no longer valid' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
})
