// Emails on a phone: none is wider than the screen, however long its names, words and links are.
import type { Page } from '@playwright/test'
import { type Business, allowNoticesAtAnyHour, createLead, registerBusiness } from '../support/business'
import { expect, test } from '../support/fixtures'
import { buildCustomer } from '../support/people'
import { type RenderedEmail, renderLongEmails } from '../support/providers'
import { decodeEmailText, readHtmlPart } from '../support/saved-emails'
import { createInvoice, HEATER_ESTIMATE, nextWorkingDays, postAsPage, toInstant } from '../support/seed-week'

const PHONE_WIDTHS = [390, 420] as const
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitaen'

/** Names of the emails that are wider than the screen. */
async function findWideEmails(page: Page, emails: readonly RenderedEmail[]): Promise<string[]> {
  const wide: string[] = []
  for (const width of PHONE_WIDTHS) {
    await page.setViewportSize({ width, height: 844 })
    for (const { name, html } of emails) {
      await page.setContent(html)
      // A phone zooms out of what is too wide, and its inner width grows.
      const needed = await page.evaluate(() => document.documentElement.scrollWidth)
      if (needed > width) wide.push(`${name} needs ${needed} of ${width}`)
    }
  }
  return wide
}

test(
  'emails: every wording, a notice and a report with long values fit a phone',
  { tag: '@phone' },
  async ({ page }) => {
    test.setTimeout(120_000)
    const emails = await renderLongEmails()
    expect(emails.length).toBeGreaterThan(60)
    expect(await findWideEmails(page, emails)).toEqual([])
  },
)

/** What the office sends in a week. */
async function sendOfficeEmails(office: Page, business: Business, leadId: string): Promise<void> {
  await postAsPage(office, business, `/api/leads/${leadId}/estimate`, HEATER_ESTIMATE)
  await postAsPage(office, business, '/api/jobs', {
    leadId,
    startsAt: toInstant(nextWorkingDays()[0] ?? '', '10:00'),
    durationMinutes: 60,
    address: `12 ${LONG_WORD}`,
  })
  const member = { name: LONG_WORD, email: 'sam@crew.example', role: 'office' }
  await postAsPage(office, business, '/api/team/invites', member)
}

test(
  'emails: what a business with a long name sends fits a phone',
  { tag: '@phone' },
  async ({ connected, owner, page }) => {
    test.setTimeout(120_000)
    const { install, mailbox } = connected
    const business = await registerBusiness(install, { orgName: `${LONG_WORD} Heating and Plumbing of Greater Austin` })
    await allowNoticesAtAnyHour(business)
    const customer = buildCustomer({ notes: `The heater leaks. ${LONG_WORD.repeat(4)}` })
    const leadId = await createLead(business, customer)
    const office = await owner(business)
    await sendOfficeEmails(office, business, leadId)
    const payer = buildCustomer()
    await createInvoice(office, business, await createLead(business, payer))
    await postAsPage(office, business, '/api/auth/reset', { email: business.owner.email })

    const isSentTo = (address: string, part: string) => () =>
      mailbox.lettersTo(address).some(({ raw }) => decodeEmailText(raw).includes(part))
    const sendingTime = { timeout: 45_000 }
    await expect.poll(isSentTo(customer.email, 'EST-1001'), sendingTime).toBe(true)
    await expect.poll(isSentTo(payer.email, 'INV-1001'), sendingTime).toBe(true)
    await expect.poll(isSentTo('sam@crew.example', 'text/html'), sendingTime).toBe(true)
    await expect.poll(isSentTo(business.owner.email, 'text/html'), sendingTime).toBe(true)

    const emails = mailbox.allLetters().flatMap(({ raw }): RenderedEmail[] => {
      const html = readHtmlPart(raw)
      const name = /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? ''
      return html === undefined ? [] : [{ name, html }]
    })
    expect(emails.length).toBeGreaterThanOrEqual(5)
    for (const { html } of emails) expect(html).toContain('</html>')
    expect(await findWideEmails(page, emails)).toEqual([])
  },
)
