// Security administration as each of those who may open it: what they read, switch and take along, and what the server keeps
// from them whatever they ask.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { openBusiness, putLead } from '../support/business'
import { wordsOf } from '../support/letters'
import { aCustomer, anOwner } from '../support/people'
import { canChangeRecords, changeRecords } from '../support/records'
import { expectToast, signIn } from '../support/screens'
import { expect, test } from '../support/story'
import { expectAnswers, join } from '../support/team'

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

test('the owner reads the score, takes the report along, and switches an alert', async ({ bare, owner }) => {
  const page = await owner(await openBusiness(bare))
  await page.goto('/app/admin')
  await expect(page.getByRole('heading', { name: 'Security Status' })).toBeVisible()
  await expect(page.getByText('/ 100')).toBeVisible()
  for (const words of ['2FA enabled: no', 'Account locked: no', /^Session secure: /])
    await expect(page.getByText(words)).toBeVisible()
  for (const name of ['Authentication', 'Data Protection', 'Infrastructure', 'Monitoring'])
    await expect(page.getByRole('region', { name }).getByRole('listitem').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Infrastructure' }).getByText('Verified backup')).toBeVisible()

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

test('the audit log is searched, narrowed and taken along, and nobody has altered it', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  await putLead(business, aCustomer())
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
  await expect(page.getByText('Nobody has altered the log')).toBeVisible()
})

test('who changes a line of the log in the database is found out', async ({ ownHouse, owner }) => {
  test.skip(!(await canChangeRecords()), 'nothing on this machine opens the database')
  const business = await openBusiness(ownHouse)
  await putLead(business, aCustomer())
  const page = await owner(business)
  await page.goto('/app/admin')
  await page.getByRole('button', { name: 'Check for tampering' }).click()
  await expect(page.getByText('Nobody has altered the log')).toBeVisible()
  await changeRecords(ownHouse, "UPDATE audit_event SET ip = '203.0.113.9' WHERE action = 'lead_submitted'")
  await page.getByRole('button', { name: 'Check for tampering' }).click()
  await expect(page.getByText('The log was altered')).toBeVisible()
  const fault = page.getByText(/^Line \d+ \([0-9a-f-]{36}\) was changed or moved after it was written\./)
  await expect(page.getByRole('alert').filter({ hasText: 'The log was altered' }).filter({ has: fault })).toBeVisible()
  // It stands among what is watched too, for whoever opens the page next.
  await expect(
    page
      .getByRole('region', { name: 'Monitoring' })
      .getByRole('listitem')
      .filter({ has: fault })
      .getByText(', not in place'),
  ).toBeAttached()
  await expect(page.getByText('Nobody has altered the log')).toBeHidden()
})

for (const role of ['office', 'crew'] as const) {
  test(`somebody of the ${role} sees how safe they are themselves, and nothing of the others`, async ({
    bare,
    owner,
    visitor,
  }) => {
    const business = await openBusiness(bare)
    const page = await visitor(bare)
    const sam = await join(page, await owner(business), business, role)
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
    await expectAnswers(page.request, 403, [...OWNERS, `/api/subscription/${business.orgId}/invoices`])
  })
}

test('the operator sees everybody of the install, and has somebody choose a new password', async ({
  ownMail: mailbox,
  install,
  owner,
}) => {
  const operator = anOwner({ name: 'Olga Operator', orgName: 'Toolbox Hosting' })
  const house = await install({ ...mailbox.variables, PLATFORM_ADMIN_EMAILS: operator.email })
  const [hosting, roofer] = [await openBusiness(house, operator, { isProven: false }), await openBusiness(house)]
  const [page, theirs] = [await owner(hosting), await owner(roofer)]

  await test.step('an address that was only typed opens nothing more', async () => {
    await page.goto('/app/admin?tab=clients')
    await expect(page.getByRole('heading', { name: operator.email })).toBeVisible()
    await expect(page.getByText('1 client', { exact: true })).toBeVisible()
  })

  await test.step('who reads its mail is the operator', async () => {
    await page.request.post('/api/auth/reset', { data: { email: operator.email }, headers: { Origin: house.url } })
    // Registering has mailed them too.
    const links = () =>
      mailbox
        .lettersTo(operator.email)
        .map(({ raw }) => wordsOf(raw))
        .filter((words) => words.includes('/reset-password#'))
    await expect.poll(links).toHaveLength(1)
    const token = /\/reset-password#([\w-]{64})/.exec(links()[0] ?? '')?.[1] ?? ''
    const password = 'three blue ladders and a bucket'
    expect(
      (
        await page.request.post('/api/auth/reset/confirm', {
          data: { token, password },
          headers: { Origin: house.url },
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

  await test.step('a client is mailed a link, and is out', async () => {
    await theirs.goto('/app/admin?tab=clients')
    await expect(theirs.getByText('1 client', { exact: true })).toBeVisible()
    await expect(theirs.getByText(operator.email)).toHaveCount(0)
    await page.getByRole('searchbox', { name: 'Search clients by name, email or business' }).fill(roofer.owner.orgName)
    await expect(page.getByText('1 client', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: `Reset Password: ${roofer.owner.email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send the link' }).click()
    await expectToast(page, 'Reset Link Sent', 'They are signed out everywhere, and the link is on its way.')
    await expect
      .poll(() => mailbox.lettersTo(roofer.owner.email).some(({ raw }) => wordsOf(raw).includes('/reset-password#')))
      .toBe(true)
    await theirs.reload()
    await expect(theirs).toHaveURL(/\/login/)
  })
})
