// A business in the middle of its week, created through the API: crews, scheduled jobs, an estimate, an invoice.
import { expect, type Page } from '@playwright/test'
import type { Business } from './business'
import { decodeEmailText } from './saved-emails'
import { buildCustomer } from './people'
import type { Mailbox } from './providers'

const ZONE = { timeZone: 'America/Chicago' }
const DAY_MS = 24 * 60 * 60_000
/** After this hour nothing an hour ahead is still today. */
const LATE_HOUR = 22

/** Requests to the API with this page's session. */
export async function postAsPage<T>(page: Page, { install }: Business, path: string, data: unknown): Promise<T> {
  const answer = await page.request.post(path, { data, headers: { Origin: install.url, 'X-Toolbox-Client': 'story' } })
  expect(answer.ok(), `${path}: ${answer.status()}`).toBe(true)
  return (answer.headers()['content-type']?.includes('json') ? answer.json() : answer.body()) as Promise<T>
}

/** The day of that moment where the business is. */
export const toBusinessDay = (at: Date): string => new Intl.DateTimeFormat('en-CA', ZONE).format(at)

/** A clock time of today there: an hour ahead or, late at night, an hour ago. */
export function findSlotToday(): { day: string; time: string } {
  const hour = Number(
    new Intl.DateTimeFormat('en-US', { ...ZONE, hour: 'numeric', hourCycle: 'h23' }).format(new Date()),
  )
  const at = hour < LATE_HOUR ? hour + 1 : hour - 1
  return { day: toBusinessDay(new Date()), time: `${String(at).padStart(2, '0')}:00` }
}

/** The moment of a clock time there. */
export function toInstant(day: string, time: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { ...ZONE, timeZoneName: 'longOffset' }).formatToParts(
    new Date(`${day}T18:00:00Z`),
  )
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '') ?? ''
  return new Date(`${day}T${time}:00${offset}`).toISOString()
}

/** Five working days in a row, from the next Monday on. */
export function nextWorkingDays(): string[] {
  const now = Date.now()
  const monday =
    Array.from({ length: 7 }, (_, days) => now + (days + 1) * DAY_MS).find(
      (at) => new Date(`${toBusinessDay(new Date(at))}T12:00:00Z`).getUTCDay() === 1,
    ) ?? now
  return Array.from({ length: 5 }, (_, days) => toBusinessDay(new Date(monday + days * DAY_MS)))
}

export const CREWS = ['Truck 1', 'Truck 2', 'Truck 3'] as const

/** Whom, what, where, on which working day and crew, from when, for how many minutes, for how much. */
const VISITS = [
  ['Grace Lindholm', 'Water heater', '812 W Dickens Ave', 0, 0, '08:00', 180, 1763],
  ['Dev Patel', 'Drain cleaning', '31 E Ohio St', 0, 1, '09:00', 90, 289],
  ['Maria Lopez', 'Sump pump', '2210 N Halsted St', 1, 0, '09:00', 120, 940],
  ['Hugo Marsh', 'Leak search', '5 S Wabash Ave', 1, 1, '10:30', 90, 240],
  ['Chloe Novak', 'Bathroom', '1450 W Belmont Ave', 1, 2, '08:00', 480, 8400],
  ['Chloe Novak', 'Bathroom', '1450 W Belmont Ave', 2, 2, '08:00', 480, 0],
  ['Frank Osei', 'Gas line', '77 W Huron St', 2, 0, '13:00', 120, 1150],
  ['Erin Walsh', 'Toilet', '640 N Wells St', 3, 1, '08:30', 60, 310],
  ['Ben Carter', 'Kitchen tap', '1201 N State Pkwy', 3, 0, '11:00', 60, 185],
  ['Ana Diaz', 'Water softener', '12 Oak St', 4, 2, '09:00', 180, 2150],
] as const

/** Three crews, their week, one job that still waits for its time. */
export async function createPlannedWeek(
  page: Page,
  business: Business,
): Promise<{ crewIds: string[]; monday: string }> {
  const crewIds: string[] = []
  for (const name of CREWS) crewIds.push((await postAsPage<{ id: string }>(page, business, '/api/crews', { name })).id)
  const days = nextWorkingDays()
  for (const [name, service, address, day, crew, time, durationMinutes, value] of VISITS) {
    const startsAt = toInstant(days[day] ?? '', time)
    await postAsPage(page, business, '/api/jobs', {
      customer: { name, phone: buildCustomer().phone },
      service,
      address,
      zip: '60614',
      durationMinutes,
      startsAt,
      crewId: crewIds[crew],
      ...(value ? { value } : {}),
    })
  }
  await postAsPage(page, business, '/api/jobs', {
    customer: { name: 'Ines Torres', phone: buildCustomer().phone },
    service: 'Garbage disposal',
    address: '3300 N Clark St',
    durationMinutes: 60,
    value: 420,
  })
  return { crewIds, monday: days[0] ?? '' }
}

/** Two jobs of today for this crew; the next of them with all that a crew wants to know. */
export async function createDayOnSite(page: Page, business: Business, crewId: string): Promise<string> {
  const { day, time } = findSlotToday()
  const work = {
    customer: { name: 'Grace Lindholm', phone: '(312) 555-0119' },
    service: 'Water heater',
    address: '812 W Dickens Ave',
    zip: '60614',
    crewId,
    durationMinutes: 120,
    startsAt: toInstant(day, time),
    description: '40 gallon gas heater out, 50 gallon in. New drain pan and shutoff valve.',
    specialInstructions: 'The key is with the neighbor on the left. Beware of the dog.',
    checklist: ['Water and gas off', 'Draft test'],
    requiredPhotos: 'after',
  }
  return (await postAsPage<{ id: string }>(page, business, '/api/jobs', work)).id
}

const SALES_TAX = { taxName: 'Sales tax', taxRate: 10.25 }
/** Three ways to do the work, and something to add. */
export const HEATER_ESTIMATE = {
  lines: [
    { id: 'labor', name: 'Remove the old heater, connect the new one', quantity: 4, unit: 'hour', unitPrice: 125 },
    {
      id: 'forty',
      name: '40 gallon tank',
      description: 'Gas, 6 year warranty',
      unitPrice: 1150,
      optionId: 'good',
      ...SALES_TAX,
    },
    {
      id: 'fifty',
      name: '50 gallon tank',
      description: 'Gas, 9 year warranty',
      unitPrice: 1450,
      optionId: 'better',
      ...SALES_TAX,
    },
    {
      id: 'tankless',
      name: 'Tankless heater',
      description: 'Hot water without end',
      unitPrice: 2900.5,
      optionId: 'best',
      ...SALES_TAX,
    },
    { id: 'pan', name: 'Drain pan', unitPrice: 80, optional: true, ...SALES_TAX },
  ],
  options: [
    { id: 'good', name: 'Good' },
    { id: 'better', name: 'Better' },
    { id: 'best', name: 'Best' },
  ],
  recommended: 'better',
  deposit: { percent: 30 },
}

/** An invoice of this lead, sent and paid in part; gives its id. */
export async function createInvoice(page: Page, business: Business, leadId: string): Promise<string> {
  const lines = [
    { name: 'Labor', quantity: 4, unit: 'hour', unitPrice: 125 },
    { name: '50 gallon tank', description: 'Gas, 9 year warranty', unitPrice: 1450, ...SALES_TAX },
    { name: 'Drain pan', unitPrice: 80, ...SALES_TAX },
  ]
  const { id } = await postAsPage<{ id: string }>(page, business, '/api/invoices', { leadId, lines })
  await postAsPage(page, business, `/api/invoices/${id}/send`, {})
  await postAsPage(page, business, `/api/leads/${leadId}/paid`, {
    amount: 900,
    method: 'check',
    partial: true,
    invoiceId: id,
  })
  return id
}

/** The day so many days ago. */
const daysAgo = (days: number) => toBusinessDay(new Date(Date.now() - days * DAY_MS))

/** Reviews of three customers: one is not matched yet, one has no name. */
const SAMPLE_REVIEWS = [
  {
    date: daysAgo(4),
    customer_name: 'Grace Lindholm',
    rating: 5,
    review_text: 'On time, tidy, and hot water the same evening. Would call again any day.',
    source: 'Google',
  },
  {
    date: daysAgo(10),
    customer_name: 'Maria Lopez',
    rating: 4,
    review_text: 'Good work, half an hour late.',
    source: 'Google',
  },
  { date: null, customer_name: null, rating: 2, review_text: null, source: 'Facebook' },
] as const

/** Reviews that the office typed in. */
export async function createReviews(page: Page, business: Business): Promise<void> {
  for (const review of SAMPLE_REVIEWS) await postAsPage(page, business, '/api/reviews', review)
}

/** A crew member joins by the link of an invitation that was mailed to them; their phone then shows the day. */
export async function joinCrew(
  office: Page,
  business: Business,
  crewId: string,
  phone: Page,
  mailbox: Mailbox,
): Promise<void> {
  const email = `sam.${Date.now()}@crew.example`
  await postAsPage(office, business, '/api/team/invites', { name: 'Sam Field', email, role: 'crew', crewId })
  // The proof of the address follows the token; the link shown to the office has none.
  const link = () =>
    mailbox
      .lettersTo(email)
      .map(({ raw }) => /\/join\/[\w-]+~[\w-]+/.exec(decodeEmailText(raw))?.[0])
      .find((found) => found !== undefined)
  await expect.poll(link).toBeDefined()
  await phone.goto(link() ?? '')
  await phone.getByLabel(/^Password/).fill('three blue ladders')
  await phone.getByLabel(/^Confirm password/).fill('three blue ladders')
  await phone.getByRole('button', { name: 'Join', exact: true }).click()
  await expect(phone.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible()
  await phone.getByRole('button', { name: 'Close notification' }).click()
}
