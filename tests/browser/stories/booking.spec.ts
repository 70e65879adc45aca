// Online booking on a phone, with and without scripts: booked, moved and cancelled; an unknown customer confirms by one
// tap of a mailed link. The office sees each step.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness } from '../support/business'
import { findEmailedLink } from '../support/saved-emails'
import { buildCustomer } from '../support/people'
import { expect, test } from '../support/fixtures'

const PHONE = { width: 390, height: 844 }

async function put(
  page: Page,
  { install }: Business,
  method: 'post' | 'patch',
  path: string,
  data: unknown,
): Promise<void> {
  const answer = await page.request[method](path, { data, headers: { Origin: install.url } })
  expect(answer.ok(), await answer.text()).toBe(true)
}

async function fitsTheScreen(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findAxeViolations(page)).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
}

async function asks(page: Page, business: Business): Promise<void> {
  await page.goto(`/book/${business.slug}`)
  await page.getByLabel('What should we do?').selectOption('plumbing')
  await page.getByLabel('ZIP code').fill('78701')
  await page.getByRole('button', { name: 'Show free times' }).click()
}

async function fillsIn(page: Page, customer: { name: string; phone: string }): Promise<void> {
  await page.getByLabel('Your name').fill(customer.name)
  await page.getByLabel('Phone number').fill(customer.phone)
  await page.getByLabel('Address of the work').fill('12 Elm St, Austin')
  await page.getByRole('button', { name: 'Book this visit' }).click()
}

// Customers book on their phones.
test(
  'booking: made on a phone, moved and cancelled, with each step visible to the office',
  { tag: '@phone' },
  async ({ freshInstall, owner, openPage }) => {
    test.setTimeout(120_000)
    const business = await registerBusiness(freshInstall)
    const office = await owner(business)
    await put(office, business, 'post', '/api/crews', { name: 'North crew' })
    await office.goto('/app/settings/online-booking')
    await expect(office.getByText('Your booking page is live')).toBeVisible()

    const phone = await openPage({ baseURL: freshInstall.url, viewport: PHONE, hasTouch: true, isMobile: true })
    const weight: number[] = []
    phone.on(
      'response',
      (response) =>
        void response.body().then(
          (body) => weight.push(body.length),
          () => weight.push(0),
        ),
    )
    await asks(phone, business)
    await expect(phone.getByRole('heading', { level: 1, name: 'When should we come?' })).toBeVisible()
    expect(weight.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(150_000)
    await fitsTheScreen(phone)

    const customer = buildCustomer({ name: 'Ana Diaz' })
    // A known customer: the booking needs no confirmation.
    await put(office, business, 'post', '/api/jobs', {
      customer: { name: customer.name, phone: customer.phone },
      service: 'plumbing',
    })
    const first = phone.locator('.slots button').first()
    const when = await first.getAttribute('aria-label')
    await first.click()
    await expect(phone.getByText(/^We keep it for you until/)).toBeVisible()
    await expect(phone.locator('.lead')).toContainText((when ?? '').split(',')[0] ?? '')
    await fitsTheScreen(phone)
    await fillsIn(phone, customer)
    await expect(phone.getByRole('heading', { name: /Your visit is booked/ })).toBeVisible()
    await office.goto('/app/jobs')
    await expect(office.getByText(customer.name).first()).toBeVisible()

    await test.step('move the booking', async () => {
      await phone.getByRole('link', { name: 'Choose another time' }).click()
      await fitsTheScreen(phone)
      await phone.locator('.slots button').last().click()
      await expect(phone.getByText('Your visit has its new time.')).toBeVisible()
    })

    await test.step('cancel the booking', async () => {
      await phone.getByText('Cancel this visit?').click()
      await phone.getByRole('button', { name: 'Cancel this visit' }).click()
      await expect(phone.getByRole('heading', { name: 'This visit was cancelled' })).toBeVisible()
    })

    await test.step('without scripts and in Spanish; an unknown caller confirms by one tap', async () => {
      const stranger = buildCustomer({ name: 'Luis Vega' })
      const jobs = async () => (await office.request.get('/api/jobs')).text()
      const plain = await openPage({
        baseURL: freshInstall.url,
        viewport: PHONE,
        javaScriptEnabled: false,
        locale: 'es-MX',
      })
      await plain.goto(`/book/${business.slug}`)
      await plain.getByRole('link', { name: 'English' }).click()
      await plain.getByLabel('What should we do?').selectOption('roofing')
      await plain.getByLabel('ZIP code').fill('78701')
      await plain.getByRole('button', { name: 'Show free times' }).click()
      await plain.getByRole('link', { name: 'Español' }).click()
      await plain.locator('.slots button').first().click()
      await expect(plain.getByRole('heading', { name: 'Su hora' })).toBeVisible()
      await plain.getByLabel('Su nombre').fill(stranger.name)
      await plain.getByLabel('Número de teléfono').fill(stranger.phone)
      await plain.getByLabel('Dirección del trabajo').fill('5 Oak St')
      await plain.getByLabel('Correo electrónico').fill(stranger.email)
      await plain.getByRole('button', { name: 'Reservar esta visita' }).click()
      // Without a mail server the question is saved as a file: no page says that it was sent. Its link confirms the time anyway.
      await expect(plain.getByRole('heading', { name: 'Gracias. Tenemos su solicitud.' })).toBeVisible()
      let link: string | undefined
      await expect
        .poll(async () => {
          link = await findEmailedLink(freshInstall, stranger.email, /\/p\/[\w-]+/)
          return link
        })
        .toBeDefined()
      await phone.goto(link ?? '')
      await expect(phone.getByRole('heading', { name: '¿Confirmar esta hora?' })).toBeVisible()
      await expect(phone.getByText(/^La guardamos para usted hasta las/)).toBeVisible()
      await fitsTheScreen(phone)
      // Opening the page confirms nothing: programs that scan mail follow links.
      expect(await jobs()).not.toContain(stranger.name)
      await plain.goto(link ?? '')
      await plain.getByRole('button', { name: 'Sí, confirmar esta hora' }).click()
      await expect(plain.getByRole('heading', { name: /Su visita está reservada/ })).toBeVisible()
      expect(await jobs()).toContain(stranger.name)
    })
  },
)
