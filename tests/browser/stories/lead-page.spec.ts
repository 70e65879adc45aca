// Lead and job pages on a phone: at most two screens, and the next step in reach.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { createLead, registerBusiness } from '../support/business'
import { expect, test } from '../support/fixtures'
import { buildCustomer } from '../support/people'
import { openTab } from '../support/screens'
import { postAsPage } from '../support/seed-week'

const PHONE = { width: 390, height: 844 }

const heightOf = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight)

test('lead and job page: at most two screens tall on a phone', { tag: '@phone' }, async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Nora Field' })
  const lead = await createLead(business, customer)
  const page = await owner(business)
  await page.setViewportSize(PHONE)
  await page.goto(`/app/leads/${lead}`)
  const step = page.getByRole('region', { name: 'Next step' })
  await expect(step.getByRole('button').first()).toBeVisible()
  await expect(page.getByRole('log')).toBeVisible()
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
  expect(await heightOf(page)).toBeLessThanOrEqual(2 * PHONE.height)
  for (const tab of ['Details', 'Estimate and money', 'Jobs', 'History', 'Conversation']) {
    await openTab(page, tab)
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    expect(await findAxeViolations(page), tab).toEqual([])
  }
  await openTab(page, 'Jobs')
  await page.reload()
  await expect(page.getByRole('heading', { level: 2, name: 'Job Progress' })).toBeVisible()

  const { id } = await postAsPage<{ id: string }>(page, business, '/api/jobs', { leadId: lead, value: 450 })
  await page.goto(`/app/jobs/${id}?do=schedule`)
  await page.getByRole('dialog', { name: 'Schedule this job' }).getByRole('button', { name: 'Close' }).first().click()
  await expect(page.getByRole('heading', { level: 2, name: 'The Work' })).toBeVisible()
  expect(await heightOf(page)).toBeLessThanOrEqual(2 * PHONE.height)
})
