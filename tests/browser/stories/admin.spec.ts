// Security administration: what the owner reads, switches and takes along, and what somebody of the office is told instead.
import { findings } from '../support/axe'
import { openBusiness, putLead } from '../support/business'
import { aCustomer } from '../support/people'
import { expectToast } from '../support/screens'
import { expect, test } from '../support/story'

test('the owner reads the score, takes the report along, and sees that nobody altered the log', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  await putLead(business, aCustomer())
  const page = await owner(business)
  await page.goto('/app/admin')
  await expect(page.getByRole('heading', { name: 'Security Status' })).toBeVisible()
  await expect(page.getByText('/ 100')).toBeVisible()
  await expect(page.getByText('2FA enabled: no')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Infrastructure' }).getByText('Verified backup')).toBeVisible()

  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download Report' }).click()
  expect((await file).suggestedFilename()).toMatch(/^security-compliance-Toolbox-AI-\d{4}-\d\d-\d\d\.md$/)
  await expectToast(page, 'Download Complete', 'Security compliance report has been downloaded.')
  await page.getByLabel('Organization Name').fill(' ')
  await expect(page.getByRole('button', { name: 'Download Report' })).toBeDisabled()

  await page.getByRole('switch', { name: /^Many people say STOP/ }).click()
  await expectToast(page, 'Alert Updated', 'Security alert configuration saved.')

  await page.getByRole('button', { name: 'View Audit Log' }).click()
  await expectToast(page, 'Audit Log Loaded')
  await page.getByRole('button', { name: 'Show only: Lead submitted' }).click()
  await expect(page.getByText('1 event', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Check for tampering' }).click()
  await expect(page.getByText('Nobody has altered the log')).toBeVisible()

  await page.getByRole('tab', { name: 'Client Management' }).click()
  await expect(page.getByRole('heading', { name: business.owner.email })).toBeVisible()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  expect(await findings(page)).toEqual([])
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page).toHaveURL(/\/(app)?$/)
})
