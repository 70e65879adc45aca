// Actions on the screens, by visible text.
import { expect, type Locator, type Page } from '@playwright/test'
import type { Customer, Owner } from './people'
import type { PictureFile } from './pictures'

export const getLeadFormPath = (slug: string) => `/lead?org=${slug}`

/** The toast on screen: its title and its sentence. */
export async function expectToast(page: Page, title: string, sentence?: string): Promise<void> {
  const toast = page
    .getByRole('region', { name: 'Notifications (F8)' })
    .getByRole('listitem')
    .filter({ hasText: title })
  await expect(toast.getByText(title, { exact: true })).toBeVisible()
  if (sentence !== undefined) await expect(toast.getByText(sentence, { exact: true })).toBeVisible()
}

export async function fillLeadForm(page: Page, customer: Customer): Promise<void> {
  await page.getByLabel('Full Name').fill(customer.name)
  await page.getByLabel('Phone').fill(customer.phone)
  await page.getByLabel('Email').fill(customer.email)
  await page.getByLabel('Zip Code').fill(customer.zip)
  await page.getByLabel('Service Type').selectOption(customer.service)
  await page.getByLabel('Project Details').fill(customer.notes)
}

/** Chooses photos and waits for the thumbnail of each. */
export async function addPhotos(page: Page, photos: readonly PictureFile[]): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles([...photos])
  for (const { name } of photos) await expect(page.getByRole('img', { name: new RegExp(`: ${name}$`) })).toBeVisible()
}

export async function sendLead(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit Request' }).click()
}

/** The reference that the thanks give. */
export async function readReference(page: Page): Promise<string> {
  const line = page.getByText(/^Your reference: /)
  await expect(line).toBeVisible()
  return line.getByRole('strong').innerText()
}

export async function signIn(page: Page, { email, password }: Pick<Owner, 'email' | 'password'>): Promise<void> {
  // The address changes before the screen does: typed text would go into the previous form.
  const form = page.getByRole('form', { name: 'Sign in' })
  await form.getByLabel('Email').fill(email)
  await form.getByLabel(/^Password/).fill(password)
  await form.getByRole('button', { name: 'Sign In', exact: true }).click()
}

export async function fillRegistration(page: Page, owner: Owner, confirm = owner.password): Promise<void> {
  await page.getByLabel('Full name').fill(owner.name)
  await page.getByLabel('Business name').fill(owner.orgName)
  await page.getByLabel('Email').fill(owner.email)
  await page.getByLabel(/^Password/).fill(owner.password)
  await page.getByLabel(/^Confirm password/).fill(confirm)
}

/** Asks for a demo of the product, as a business that wants it. */
export async function fillDemoRequest(
  page: Page,
  { orgName, name, email }: Pick<Owner, 'orgName' | 'name' | 'email'>,
): Promise<void> {
  await page.getByLabel('Business Name').fill(orgName)
  await page.getByLabel('Your Name').fill(name)
  await page.getByLabel('Phone Number').fill('(312) 555-0188')
  await page.getByLabel('Email Address').fill(email)
  await page.getByLabel('Industry').fill('Roofing')
  await page.getByRole('button', { name: 'Request A Demo' }).click()
}

/** The row or card of a customer in the list. */
export function findLead(page: Page, name: string): Locator {
  return page.getByRole('main').locator('tbody tr, ul[aria-label^="Leads, "] > li').filter({ hasText: name })
}

export async function openLead(page: Page, name: string): Promise<void> {
  await page
    .getByRole('link', { name: `View Details of ${name}` })
    .first()
    .click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  // Each card loads separately and moves those below it: a tap in that moment would miss.
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
}

/** A tab of the open lead or job. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click()
}

type QuickAction = 'Generate Estimate PDF' | 'Send Reminder' | 'Mark as Paid' | 'Request Review'

/** One of the quick actions of the open lead. */
export async function openQuickAction(page: Page, action: QuickAction): Promise<void> {
  await page.getByRole('button', { name: 'More for this lead' }).click()
  await page.getByRole('dialog', { name: 'Quick Actions' }).getByRole('button', { name: action }).click()
}

/** What went to the customer, in the conversation on the page of a lead: only an email is folded away. */
export function findReply(page: Page, kind: string, way: 'SMS' | 'email'): Locator {
  const answers = page.getByRole('log').getByRole('listitem').filter({ hasText: kind })
  const folded = page.getByText('Show the email')
  return way === 'email' ? answers.filter({ has: folded }) : answers.filter({ hasNot: folded })
}

/** What went to the business's own people because of a lead. */
export function findNotice(page: Page, way: 'SMS' | 'email'): Locator {
  return page.getByRole('listitem').filter({ hasText: `Notice to you by ${way}` })
}

export async function logOut(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More', exact: true }).filter({ visible: true })
  const logout = page.getByRole('button', { name: 'Logout' }).filter({ visible: true })
  await expect(more.or(logout).first()).toBeVisible()
  if (await more.isVisible()) await more.click()
  await logout.click()
}
