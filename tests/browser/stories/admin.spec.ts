// Security administration as each of those who may open it: what they read, switch and take along, and what the server keeps
// from them whatever they ask.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { registerBusiness, createLead } from '../support/business'
import { decodeEmailText } from '../support/saved-emails'
import { buildCustomer, buildOwner } from '../support/people'
import { canWriteDatabase, writeDatabase } from '../support/database'
import { expectToast, signIn } from '../support/screens'
import { expect, test } from '../support/fixtures'
import { expectApiStatus, joinBusiness } from '../support/team'

/** What only who owns the business may ask for. */
const OWNERS = [
  '/api/security/alerts',
  '/api/security/audit-log',
  '/api/security/audit-log/export',
  '/api/security/compliance/Toolbox%20AI',
  '/api/admin/clients',
  '/api/organization/export',
  '/api/team/invites',
]

/** What is saved by pressing this. */
async function saved(page: Page, button: string): Promise<{ name: string; text: string }> {
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const arrived = await file
  return { name: arrived.suggestedFilename(), text: await readFile(await arrived.path(), 'utf8') }
}

async function openLog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'View Audit Log' }).click()
  await expectToast(page, 'Audit Log Loaded')
}

test('owner: reads the security score, downloads the report, toggles an alert', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/admin')
  await expect(page.getByRole('heading', { name: 'Security Status' })).toBeVisible()
  await expect(page.getByText('/ 100')).toBeVisible()
  for (const words of ['2FA enabled: no', 'Account locked: no', /^Session secure: /])
    await expect(page.getByText(words)).toBeVisible()
  for (const name of ['Authentication', 'Data Protection', 'Infrastructure', 'Monitoring'])
    await expect(page.getByRole('region', { name }).getByRole('listitem').first()).toBeVisible()
  await expect(
    page.getByRole('region', { name: 'Infrastructure' }).getByText('Nightly copy of all data, checked'),
  ).toBeVisible()

  const { name, text } = await saved(page, 'Download Report')
  expect(name).toMatch(/^security-compliance-Toolbox-AI-\d{4}-\d\d-\d\d\.md$/)
  expect(text).toContain('Toolbox AI')
  expect(text).toContain('not in place')
  await expectToast(page, 'Download Complete', 'Security compliance report has been downloaded.')
  await page.getByLabel('Organization Name').fill(' ')
  await expect(page.getByRole('button', { name: 'Download Report' })).toBeDisabled()

  await page.getByRole('switch', { name: /^Many people say STOP/ }).click()
  await expectToast(page, 'Alert Updated', 'Security alert configuration saved.')
  await page.reload()
  await expect(page.getByRole('switch', { name: /^Many people say STOP/ })).not.toBeChecked()
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page).toHaveURL(/\/(app)?$/)
})

test('audit log: search, filter, export and verification', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await page.goto('/app/admin')
  await openLog(page)
  const rows = page.getByRole('table', { name: /^Audit log/ }).getByRole('row')
  const signedIn = page.getByRole('button', { name: 'Show only: Signed in' })
  await expect(signedIn).toBeVisible()
  await page
    .getByRole('searchbox', { name: 'Search the audit log by name, email or network' })
    .fill('nobody@home.example')
  await expect(page.getByText('Nothing in the log matches this.')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search the audit log by name, email or network' }).fill('')
  await page.getByRole('button', { name: 'Show only: Lead submitted' }).click()
  await expect(page.getByText('1 event', { exact: true })).toBeVisible()
  await expect(rows).toHaveCount(2)
  // Columns keep room for their words: on a phone the table is scrolled, not read letter by letter.
  expect((await rows.nth(1).boundingBox())?.height).toBeLessThan(150)
  await expect(signedIn).toBeHidden()

  const { name, text } = await saved(page, 'Export CSV')
  expect(name).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  const [columns, line, ...more] = text.trimEnd().split('\r\n')
  expect(columns).toBe('Number,Time (UTC),Who,Email,Kind,Program,Action,Subject,Address,Browser,Request,Id')
  expect(line).toContain(',visitor,,lead_submitted,')
  expect(more).toEqual([])
  await expectToast(page, 'Export successful', 'Audit log data has been exported to CSV')

  await page.getByRole('button', { name: 'Check for tampering' }).click()
  await expect(page.getByText('No one has altered the log')).toBeVisible()
})

test('audit log: a line changed in the database is detected', async ({ ownInstall, owner }) => {
  test.skip(!(await canWriteDatabase()), 'nothing on this machine opens the database')
  const business = await registerBusiness(ownInstall)
  await createLead(business, buildCustomer())
  const page = await owner(business)
  await page.goto('/app/admin')
  await page.getByRole('button', { name: 'Check for tampering' }).click()
  await expect(page.getByText('No one has altered the log')).toBeVisible()
  await writeDatabase(ownInstall, "UPDATE audit_event SET ip = '203.0.113.9' WHERE action = 'lead_submitted'")
  await page.getByRole('button', { name: 'Check for tampering' }).click()
  await expect(page.getByText('The log was altered')).toBeVisible()
  const fault = page.getByText(/^Line \d+ \([0-9a-f-]{36}\) was changed or moved after it was written\./)
  await expect(page.getByRole('alert').filter({ hasText: 'The log was altered' }).filter({ has: fault })).toBeVisible()
  // The alert list shows it too after a reload.
  await expect(
    page
      .getByRole('region', { name: 'Monitoring' })
      .getByRole('listitem')
      .filter({ has: fault })
      .getByText(', not in place'),
  ).toBeAttached()
  await expect(page.getByText('No one has altered the log')).toBeHidden()
})

for (const role of ['office', 'crew'] as const) {
  test(`${role}: sees only their own security settings`, async ({ freshInstall, owner, visitor }) => {
    const business = await registerBusiness(freshInstall)
    const page = await visitor(freshInstall)
    const sam = await joinBusiness(page, await owner(business), business, role)
    await page.goto('/app/admin')
    await expect(page.getByRole('heading', { name: 'Security Status' })).toBeVisible()
    await expect(page.getByText('2FA enabled: no')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Authentication' })).toBeVisible()
    for (const title of ['Compliance Report', 'Security Alerts'])
      await expect(page.getByRole('heading', { name: title })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Check for tampering' })).toHaveCount(0)
    await page.getByRole('button', { name: 'View Audit Log' }).click()
    await expectToast(page, 'Access Failed', 'Failed to load security audit log.')
    await page.getByRole('tab', { name: 'Client Management' }).click()
    await expect(page.getByText('Who can sign in is the owner’s to see. Ask the owner of the business.')).toBeVisible()
    await expect(page.getByText(sam.email)).toHaveCount(0)
    await expectApiStatus(page.request, 403, [...OWNERS, `/api/subscription/${business.orgId}/invoices`])
  })
}

test('operator: lists all businesses and starts a password reset', async ({
  ownMail: mailbox,
  startInstall,
  owner,
}) => {
  const operator = buildOwner({ name: 'Olga Operator', orgName: 'Toolbox Hosting' })
  const install = await startInstall({ ...mailbox.variables, PLATFORM_ADMIN_EMAILS: operator.email })
  const [hosting, roofer] = [
    await registerBusiness(install, operator, { isProven: false }),
    await registerBusiness(install),
  ]
  const [page, theirs] = [await owner(hosting), await owner(roofer)]

  await test.step('an unconfirmed address grants no access', async () => {
    await page.goto('/app/admin?tab=clients')
    await expect(page.getByRole('heading', { name: operator.email })).toBeVisible()
    await expect(page.getByText('1 client', { exact: true })).toBeVisible()
  })

  await test.step('a confirmed operator address grants access', async () => {
    await page.request.post('/api/auth/reset', { data: { email: operator.email }, headers: { Origin: install.url } })
    // Registering has mailed them too.
    const links = () =>
      mailbox
        .lettersTo(operator.email)
        .map(({ raw }) => decodeEmailText(raw))
        .filter((words) => words.includes('/reset-password#'))
    await expect.poll(links).toHaveLength(1)
    const token = /\/reset-password#([\w-]{64})/.exec(links()[0] ?? '')?.[1] ?? ''
    const password = 'three blue ladders and a bucket'
    expect(
      (
        await page.request.post('/api/auth/reset/confirm', {
          data: { token, password },
          headers: { Origin: install.url },
        })
      ).status(),
    ).toBeLessThan(300)
    await page.goto('/login?next=/app/admin?tab=clients')
    await signIn(page, { email: operator.email, password })
    await expect(page.getByText('2 clients', { exact: true })).toBeVisible()
    await expect(page.getByText(`${roofer.owner.name}, Owner, ${roofer.owner.orgName}`)).toBeVisible()
    await expect(page.getByText('Active', { exact: true })).toHaveCount(2)
    await expect(page.getByText('Passwords are hashed', { exact: true })).toBeVisible()
  })

  await test.step('the client receives a reset link and is signed out', async () => {
    await theirs.goto('/app/admin?tab=clients')
    await expect(theirs.getByText('1 client', { exact: true })).toBeVisible()
    await expect(theirs.getByText(operator.email)).toHaveCount(0)
    await page.getByRole('searchbox', { name: 'Search clients by name, email or business' }).fill(roofer.owner.orgName)
    await expect(page.getByText('1 client', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: `Reset Password: ${roofer.owner.email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send the link' }).click()
    await expectToast(page, 'Reset Link Sent', 'They are signed out everywhere, and the link is on its way.')
    await expect
      .poll(() =>
        mailbox.lettersTo(roofer.owner.email).some(({ raw }) => decodeEmailText(raw).includes('/reset-password#')),
      )
      .toBe(true)
    await theirs.reload()
    await expect(theirs).toHaveURL(/\/login/)
  })
})
