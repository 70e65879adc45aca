// A review from the finished job to the list: requested on the job's page, given on the customer's phone, shown to the office live.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import type { Mailbox } from '../support/providers'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/fixtures'
import { postAsPage } from '../support/seed-week'

const WORDS = 'Found the leak in ten minutes, and left the kitchen clean.'
const NOON = 12
const HOUR_MS = 60 * 60_000

/** A zone in which it is about noon, whenever this story runs: no review is requested at night. */
function zoneAtNoon(now = new Date()): string {
  const ahead = NOON - now.getUTCHours()
  // These zones are named for how far UTC is ahead of them.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

/** A business that may ask by email at this hour, and leads to a public site. */
async function readyToAsk(page: Page, { install, orgId }: Business): Promise<void> {
  const data = {
    timezone: zoneAtNoon(),
    postalAddress: '1 Main St, Chicago, IL 60601',
    reviewLink: 'https://g.page/r/keller/review',
  }
  const answer = await page.request.patch(`/api/org/${orgId}`, { data, headers: { Origin: install.url } })
  expect(answer.status(), await answer.text()).toBe(200)
}

/** The address of the page for the review, out of the newest letter. */
function linkTo(mailbox: Mailbox, address: string): string | undefined {
  // Long lines are folded by mail programs, with a mark where they were cut.
  const emails = mailbox.lettersTo(address).map(({ raw }) => raw.replaceAll(/=\r?\n/g, ''))
  return emails.flatMap((letter) => /\/r\/[\w-]+/.exec(letter)?.[0] ?? []).at(-1)
}

// The screens are the same at a desk.
test(
  'review: a finished job brings five stars, which appear in the list',
  { tag: '@phone' },
  async ({ connected, owner, visitor }) => {
    const { install, mailbox } = connected
    const business = await registerBusiness(install)
    const { name, email } = buildCustomer({ name: 'Ana Diaz' })
    const [office, home] = [await owner(business), await visitor(install)]
    await readyToAsk(office, business)
    const startsAt = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS).toISOString()
    const { id } = await postAsPage<{ id: string }>(office, business, '/api/jobs', {
      customer: { name, email },
      service: 'Leak search',
      address: '12 Oak St',
      startsAt,
    })

    await test.step('the job is completed, and the customer is asked', async () => {
      await office.goto(`/app/jobs/${id}`)
      await office.getByRole('button', { name: 'Start', exact: true }).click()
      await expectToast(office, 'Job started')
      await office.getByRole('button', { name: 'Done', exact: true }).click()
      await expectToast(office, 'Job done')
      await office.getByRole('button', { name: 'Request Review' }).click()
      const dialog = office.getByRole('dialog', { name: 'Request Review' })
      await expect(dialog.getByText(`By email to ${email}, now`)).toBeVisible()
      expect(await findAxeViolations(office)).toEqual([])
      await dialog.getByRole('button', { name: 'Request Review' }).click()
      await expectToast(office, 'Review requested', `By email to ${name}, ${email}, now.`)
      await expect.poll(() => linkTo(mailbox, email)).toBeDefined()
    })

    await test.step('the customer gives five stars while the office watches its list', async () => {
      await office.goto('/app/reviews')
      await expect(office.getByText('No reviews yet')).toBeVisible()
      await expect(office.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
      expect(await findAxeViolations(office)).toEqual([])
      await home.goto(linkTo(mailbox, email) ?? '')
      await home.getByRole('radio', { name: /^5/ }).check()
      await home.getByRole('textbox', { name: /^In your words/ }).fill(WORDS)
      await home.getByRole('textbox', { name: /^Your name/ }).fill(name)
      await home.getByRole('button', { name: 'Send my review' }).click()
      await expect(home.getByRole('heading', { name: 'Thank you for your review' })).toBeVisible()
      const card = office.getByRole('list', { name: 'Reviews, newest first' }).getByRole('article')
      await expect(card.getByText(WORDS)).toBeVisible()
      await expect(card.getByRole('img', { name: '5 out of 5 stars' })).toBeVisible()
      await expect(card.getByRole('link', { name })).toBeVisible()
      await expect(office.getByText('Total reviews: 1')).toBeVisible()
      expect(await findAxeViolations(office)).toEqual([])
    })

    await test.step('the office saves a reply and exports the list', async () => {
      await office.getByRole('button', { name: 'Draft an answer' }).click()
      await expect(office.getByLabel('Your answer')).toHaveValue(/Ana/)
      await office.getByRole('button', { name: 'Keep' }).click()
      await expectToast(office, 'Answer kept')
      const [download] = await Promise.all([
        office.waitForEvent('download'),
        office.getByRole('button', { name: 'Export CSV' }).click(),
      ])
      await expectToast(office, 'Export successful', 'Reviews data has been exported to CSV')
      expect(download.suggestedFilename()).toMatch(/^reviews-\d{4}-\d\d-\d\d\.csv$/)
      const file = await readFile(await download.path(), 'utf8')
      expect(file).toContain('Date,Customer,Rating,Review,Source')
      expect(file).toContain(WORDS)
    })

    await test.step('the requests tab and the monthly report', async () => {
      await office.getByRole('tab', { name: 'Asked', exact: true }).click()
      const ask = office.getByRole('list', { name: 'Who was asked, newest first' }).getByRole('article')
      await expect(ask.getByText('Answered', { exact: true })).toBeVisible()
      expect(await findAxeViolations(office)).toEqual([])
      await office.getByRole('tab', { name: 'Everybody asked?' }).click()
      await expect(office.getByText('1 of 1')).toBeVisible()
      expect(await findAxeViolations(office)).toEqual([])
    })
  },
)
