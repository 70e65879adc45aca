// Recovered revenue: a missed caller gets a text, writes back and pays; the case is listed, and a holdout can be started.
import { expect as check, type Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness } from '../support/business'
import { expect, test } from '../support/fixtures'
import { postAsPage } from '../support/seed-week'

const CALLER = '+15125550142'

type LeadRow = { id: string; phoneE164: string }

async function leadOf(page: Page, orgId: string, phone: string): Promise<string> {
  let found: string | undefined
  await check
    .poll(async () => {
      const leads = (await (await page.request.get(`/api/leads/${orgId}`)).json()) as LeadRow[]
      found = leads.find(({ phoneE164 }) => phoneE164 === phone)?.id
      return found
    })
    .toBeDefined()
  return found ?? ''
}

test('recovered revenue: a missed caller is followed from the call to the payment', async ({ ownLine, owner }) => {
  test.setTimeout(90_000)
  const { install, twilio } = ownLine
  const business = await registerBusiness(install)
  const page = await owner(business)

  await test.step('the empty state explains the page', async () => {
    await page.goto('/app/recovered')
    await expect(page.getByRole('heading', { name: 'Nothing recovered on these days' })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
  })

  await test.step('the call is missed, texted back, and answered', async () => {
    const set = await page.request.patch(`/api/org/${business.orgId}/settings`, {
      data: { calls: { textDelaySeconds: 0 } },
      headers: { Origin: install.url },
    })
    check(set.ok()).toBe(true)
    await twilio.ring(install, CALLER)
    const lead = await leadOf(page, business.orgId, CALLER)
    await check
      .poll(
        async () =>
          (
            (await (await page.request.get(`/api/leads/${lead}`)).json()) as {
              messages: { kind: string; status: string }[]
            }
          ).messages.some(({ kind, status }) => kind === 'missed_call' && ['sent', 'delivered'].includes(status)),
        { timeout: 30_000 },
      )
      .toBe(true)
    await twilio.text(install, CALLER, 'Can you come today?')
    await check
      .poll(async () =>
        (
          (await (await page.request.get(`/api/leads/${lead}`)).json()) as { messages: { kind: string }[] }
        ).messages.some(({ kind }) => kind === 'incoming'),
      )
      .toBe(true)
    await postAsPage(page, business, `/api/leads/${lead}/paid`, { amount: 850, receipt: false })
  })

  await test.step('the case lists its steps, in both themes', async () => {
    await page.goto('/app/recovered')
    await expect(page.getByText('1 case · $850.00')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Missed calls/ })).toContainText('$850.00')
    const steps = page.getByRole('list', { name: /^What happened with / }).getByRole('listitem')
    await expect(steps).toContainText([/^Missed call/, /^Texted back/, /^Wrote back/, /^Paid/])
    await expect(steps).toHaveCount(4)
    expect(await findAxeViolations(page)).toEqual([])
  })

  await test.step('the dashboard links there', async () => {
    await page.goto('/app')
    await page.getByRole('link', { name: /came after automatic messages/ }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Recovered money' })).toBeVisible()
    await expect(page.getByText('1 case · $850.00')).toBeVisible()
  })

  await test.step('follow-ups are put into a holdout test', async () => {
    await page.getByRole('link', { name: 'Hold-out settings' }).click()
    const toggle = page.getByRole('switch', { name: /^Estimate follow-ups/ })
    await toggle.click()
    await expect(toggle).toBeChecked()
    await page.goto('/app/recovered')
    await expect(page.getByRole('region', { name: 'Estimate follow-ups' })).toContainText('Not enough yet')
    expect(await findAxeViolations(page)).toEqual([])
  })
})
