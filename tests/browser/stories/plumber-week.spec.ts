// A plumber's week from request to payment, on three phones: the owner's, the customer's and the crew's.
import type { Locator, Page } from '@playwright/test'
import { registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import {
  expectToast,
  fillLeadForm,
  getLeadFormPath,
  openLead,
  openTab,
  sendLead,
  readReference,
} from '../support/screens'
import { expect, test } from '../support/fixtures'
import { joinCrew, postAsPage, findSlotToday } from '../support/seed-week'

const card = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name })
const inHeader = (page: Page, word: string): Locator =>
  page.getByRole('main').locator('header').getByText(word, { exact: true })
const shown = (cents: number): string => (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })

// The signed work reckoned here, in cents: four hours untaxed, the heater and its pan at 10.25 %, half up on each line.
const TAX = Math.round((1150_00 * 1025) / 10_000) + Math.round((80_50 * 1025) / 10_000)
const TOTAL = 4 * 125_00 + 1150_00 + 80_50 + TAX
const CHECK = 700_25

const SALES_TAX = { taxName: 'Sales tax', taxRate: 10.25 }
const OFFER = {
  lines: [
    { id: 'labor', name: 'Labor', quantity: 4, unit: 'hour', unitPrice: 125 },
    { id: 'tank', name: 'Water heater 40 gal', unitPrice: 1150, optionId: 'good', ...SALES_TAX },
    { id: 'tankless', name: 'Tankless heater', unitPrice: 2900.5, optionId: 'best', ...SALES_TAX },
    { id: 'pan', name: 'Drain pan', unitPrice: 80.5, optional: true, ...SALES_TAX },
  ],
  options: [
    { id: 'good', name: 'Good' },
    { id: 'best', name: 'Best' },
  ],
  recommended: 'best',
}

/** Result of a GET of the API with this page's session. */
async function found<T>(page: Page, path: string): Promise<T> {
  return (await (await page.request.get(path)).json()) as T
}

// Runs on phones; desktops have their own stories.
test(
  'plumber’s week: a request is quoted, signed, scheduled, done, billed and paid to the cent',
  { tag: '@phone' },
  async ({ connected, owner, visitor }) => {
    test.setTimeout(90_000)
    const { install, mailbox } = connected
    const business = await registerBusiness(install)
    const customer = buildCustomer({ name: 'Ana Diaz', service: 'plumbing', notes: 'The water heater leaks.' })
    const [office, home, truck] = [await owner(business), await visitor(install), await visitor(install)]
    const crew = await postAsPage<{ id: string }>(office, business, '/api/crews', { name: 'Truck 1' })
    await joinCrew(office, business, crew.id, truck, mailbox)

    await test.step('Monday: the customer submits the form', async () => {
      await home.goto(getLeadFormPath(business.slug))
      await fillLeadForm(home, customer)
      await sendLead(home)
      await readReference(home)
      await office.goto('/app/leads')
      await openLead(office, customer.name)
      await expect(inHeader(office, 'New')).toBeVisible()
    })
    const lead = new URL(office.url()).pathname.split('/').at(-1) ?? ''

    await test.step('the customer compares two options and signs the cheaper one with an add-on', async () => {
      await postAsPage(office, business, `/api/leads/${lead}/estimate`, OFFER)
      await expect(inHeader(office, 'Quoted')).toBeVisible()
      const [estimate] = await found<{ link: string }[]>(office, `/api/leads/${lead}/estimates`)
      await home.goto(new URL(estimate?.link ?? '').pathname)
      await home.getByRole('radio', { name: /^Good/ }).check()
      await home.getByRole('checkbox', { name: /Drain pan/ }).check()
      await expect(home.locator('#sums')).toContainText(shown(TOTAL))
      await home.getByLabel('Your full name').fill(customer.name)
      await home.getByRole('checkbox', { name: /I agree/ }).check()
      // A thumb that taps twice signs once.
      await home.getByRole('button', { name: /Approve this estimate/ }).dblclick()
      await expect(home.getByRole('heading', { name: `Approved by ${customer.name}` })).toBeVisible()
      await expect(office.getByText('The estimate is approved')).toBeVisible()
      await openTab(office, 'Estimate and money')
      await expect(card(office, 'Money').getByText(shown(TOTAL)).first()).toBeVisible()
    })

    const { day, time } = findSlotToday()
    await test.step('the owner creates the job and schedules it by its menu', async () => {
      await office.getByRole('region', { name: 'Next step' }).getByRole('button', { name: 'Schedule' }).click()
      const add = dialog(office, `Add a job for ${customer.name}`)
      await add.getByLabel(/^Address/).fill('12 Oak St')
      await add.getByRole('button', { name: 'Add job' }).click()
      await expectToast(office, 'Job added')
      await office.goto(`/app/schedule?date=${day}`)
      await office.getByRole('button', { name: 'Not scheduled 1' }).click()
      await dialog(office, 'Not scheduled').getByRole('button', { name: customer.name }).click()
      const open = dialog(office, `#1001, ${customer.name}`)
      await open.getByLabel('Day').fill(day)
      await open.getByLabel('Time', { exact: true }).fill(time)
      await open.getByLabel('Crew').selectOption({ label: 'Truck 1' })
      await open.getByRole('button', { name: 'Schedule' }).click()
      await expectToast(office, 'Scheduled')
    })

    await test.step('the crew drives there, starts, takes a photo and completes the job', async () => {
      const next = truck.getByRole('region', { name: 'Next job' })
      await expect(next.getByRole('heading', { name: customer.name })).toBeVisible()
      await expect(truck.getByText('$')).toHaveCount(0)
      await next.getByRole('button', { name: 'On my way' }).click()
      await expect(next.getByText(/^On the way, there at/)).toBeVisible()
      await next.getByRole('button', { name: 'Start' }).click()
      await next.getByRole('link', { name: customer.name }).click()
      await truck
        .locator('input[data-moment="after"]')
        .first()
        .setInputFiles([await drawPicture(truck, 'heater.jpg')])
      await expect(truck.getByRole('region', { name: 'After the work' }).getByRole('img')).toBeVisible()
      await truck.getByRole('button', { name: 'Done', exact: true }).click()
      await dialog(truck, 'Done here?').getByRole('button', { name: 'Done', exact: true }).click()
      await expect(truck.getByText(/^Done at/)).toBeVisible()
    })

    await test.step('the owner bills exactly the signed amount', async () => {
      await office.goto(`/app/leads/${lead}`)
      await expect(inHeader(office, 'Done')).toBeVisible()
      await openTab(office, 'Estimate and money')
      await card(office, 'Invoices').getByRole('button', { name: 'New invoice' }).click()
      await expect(
        dialog(office, 'New invoice').getByRole('radio', { name: `All of it ${shown(TOTAL)}` }),
      ).toBeChecked()
      await dialog(office, 'New invoice').getByRole('button', { name: 'Make draft' }).click()
      // Until then the lead's page is there, whose own "Send invoice $…" only opens the draft.
      await expect(office.getByRole('heading', { level: 1, name: 'Draft invoice' })).toBeVisible()
      await office.getByRole('button', { name: 'Send invoice', exact: true }).click()
      await dialog(office, 'Send this invoice').getByRole('button', { name: 'Send invoice' }).click()
      await expect(office.getByRole('heading', { level: 1, name: 'INV-1001' })).toBeVisible()
      await expect
        .poll(
          () =>
            mailbox
              .lettersTo(customer.email)
              .filter(({ raw }) => raw.includes('INV-1001') && raw.includes('application/pdf')).length,
        )
        .toBe(1)
    })

    await test.step('a check and a second payment: nothing is owed', async () => {
      for (const cents of [CHECK, TOTAL - CHECK]) {
        await office.getByRole('button', { name: 'Record payment' }).click()
        const paying = dialog(office, 'Payment of INV-1001')
        await expect(paying.getByLabel('Amount')).toHaveValue(String((cents === CHECK ? TOTAL : cents) / 100))
        await paying.getByLabel('Amount').fill(String(cents / 100))
        await paying.getByRole('radio', { name: 'Check' }).check()
        await paying.getByRole('button', { name: 'Record payment' }).click()
        await expectToast(
          office,
          'Payment Recorded',
          cents === CHECK
            ? `${shown(CHECK)} recorded, ${shown(TOTAL - CHECK)} of it still open.`
            : 'Everything is paid.',
        )
      }
      await expect(inHeader(office, 'Paid')).toBeVisible()
      const { link } = await found<{ link: string }>(
        office,
        `/api/invoices/${new URL(office.url()).pathname.split('/').at(-1)}`,
      )
      await home.goto(new URL(link).pathname)
      await expect(home.getByText(shown(CHECK)).first()).toBeVisible()
      await expect(home.getByRole('link', { name: 'Receipt' })).toHaveCount(2)
    })

    await test.step('the lead is Paid, the ledger agrees, and the job lists who did what', async () => {
      const money = await found<Record<'agreed' | 'invoiced' | 'collected' | 'owed' | 'credit', number>>(
        office,
        `/api/leads/${lead}/money`,
      )
      expect(money).toMatchObject({
        agreed: TOTAL / 100,
        invoiced: TOTAL / 100,
        collected: TOTAL / 100,
        owed: 0,
        credit: 0,
      })
      await office.goto(`/app/leads/${lead}`)
      await expect(inHeader(office, 'Paid')).toBeVisible()
      await openTab(office, 'Jobs')
      await card(office, 'Jobs').getByRole('link').first().click()
      await openTab(office, 'Timeline')
      const steps = office.getByRole('list', { name: 'Steps of this job' }).getByRole('listitem')
      await expect(steps).toHaveCount(11)
      for (const [step, who] of [
        ['Estimate approved', customer.name],
        ['Job scheduled', business.owner.name],
        ['Crew on site', 'Sam Field'],
        ['Job completed', 'Sam Field'],
        ['Invoiced and paid', business.owner.name],
      ] as const) {
        const line = steps.filter({ hasText: step })
        await expect(line.getByText('Completed', { exact: true }), step).toBeVisible()
        await expect(line, step).toContainText(who)
      }
    })
  },
)
