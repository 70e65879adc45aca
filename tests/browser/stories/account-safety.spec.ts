// Account safety: forgotten password, lost phone, and reauthentication before sensitive actions.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { type Business, registerBusiness } from '../support/business'
import { decodeEmailText } from '../support/saved-emails'
import { canWriteDatabase, writeDatabase, sqlQuote } from '../support/database'
import { expectToast, signIn } from '../support/screens'
import { expect, test } from '../support/fixtures'

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
/** After a quarter of an hour the password is asked for once more. */
const LONG_AGO = "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-20 minutes')"

test('password reset: the emailed link sets a new password once and signs other sessions out', async ({
  connected: { install, mailbox },
  owner,
  visitor,
}) => {
  const business = await registerBusiness(install)
  const { email, password: old } = business.owner
  const [before, page] = [await owner(business), await visitor(install)]
  await before.goto('/app/leads')
  await expect(before.getByText('No leads yet')).toBeVisible()

  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  // The login page has such a field too, until this one is there.
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
  await page.getByLabel(/^Email/).fill(email)
  await page.getByRole('button', { name: 'Mail me a link' }).click()
  await expect(page.getByText('Check your email')).toBeVisible()
  // Registering has mailed them too.
  const links = () =>
    mailbox
      .lettersTo(email)
      .map(({ raw }) => decodeEmailText(raw))
      .filter((words) => words.includes('/reset-password#'))
  await expect.poll(links).toHaveLength(1)
  const token = /\/reset-password#([\w-]{64})/.exec(links()[0] ?? '')?.[1] ?? ''

  const password = 'three blue ladders and a bucket'
  for (const isFirst of [true, false]) {
    await page.goto('/login')
    await page.goto(`/reset-password#${token}`)
    // The key is not left in the browser history.
    await expect(page).toHaveURL(/\/reset-password$/)
    if (!isFirst) {
      await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible()
      continue
    }
    await page.getByRole('textbox', { name: 'New password' }).fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Passwords do not match')).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('textbox', { name: 'New password' }).fill(password)
    await page.getByLabel(/^Confirm password/).fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expectToast(page, 'Password changed', 'Sign in with the new one.')
  }

  await before.reload()
  await expect(before).toHaveURL(/\/login/)
  await page.goto('/login')
  await signIn(page, { email, password: old })
  await expectToast(page, 'Login failed', 'Invalid email or password')
  await signIn(page, { email, password })
  await expect(page).toHaveURL(/\/app$/)
  await expect
    .poll(() => mailbox.lettersTo(email).some(({ raw }) => raw.includes('Subject: Your password was changed')))
    .toBe(true)
})

test('password reset for an unknown address: same answer, no email', async ({
  connected: { install, mailbox },
  visitor,
}) => {
  const page = await visitor(install)
  await page.goto('/forgot-password')
  await page.getByLabel(/^Email/).fill('nobody@home.example')
  await page.getByRole('button', { name: 'Mail me a link' }).click()
  await expect(
    page.getByText('If nobody@home.example has an account, a link is on its way.', { exact: false }),
  ).toBeVisible()
  expect(mailbox.lettersTo('nobody@home.example')).toEqual([])
})

/** The same person on a phone, beside the device that they are signed in on already. */
async function onAPhone(
  { install, owner }: Business,
  openPage: (options: { baseURL: string; userAgent: string }) => Promise<Page>,
): Promise<Page> {
  const phone = await openPage({ baseURL: install.url, userAgent: PHONE })
  await phone.goto('/login?next=/app/leads')
  await signIn(phone, owner)
  await expect(phone.getByText('No leads yet')).toBeVisible()
  return phone
}

test('lost phone: found in the device list and signed out from another device', async ({
  freshInstall,
  owner,
  openPage,
}) => {
  const business = await registerBusiness(freshInstall)
  const [here, lost] = [await owner(business), await onAPhone(business, openPage)]
  await here.goto('/app/account')
  const devices = here
    .locator('section')
    .filter({ has: here.getByRole('heading', { name: 'Where you are signed in' }) })
    .getByRole('listitem')
  await expect(devices).toHaveCount(2)
  await expect(devices.filter({ hasText: 'This device' })).toHaveCount(1)
  await here.getByRole('button', { name: 'Sign out Safari on iPhone' }).click()
  await expectToast(here, 'Signed out', 'That device no longer gets alerts.')
  await expect(devices).toHaveCount(1)
  await lost.reload()
  await expect(lost).toHaveURL(/\/login/)

  const again = await onAPhone(business, openPage)
  await here.reload()
  await here.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await expectToast(here, 'Signed out everywhere else', 'Only this device is signed in.')
  await expect(devices).toHaveCount(1)
  await again.reload()
  await expect(again).toHaveURL(/\/login/)
  await here.reload()
  await expect(devices).toHaveCount(1)
})

test('sensitive action: asks for the password once, then runs', async ({ freshInstall, owner }) => {
  test.skip(!(await canWriteDatabase()), 'nothing on this machine makes a quarter of an hour pass')
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/app/admin')
  const alert = page.getByRole('switch', { name: /^Many people say STOP/ })
  await expect(alert).toBeChecked()
  await writeDatabase(
    freshInstall,
    `UPDATE session SET proved_at = ${LONG_AGO}, created_at = ${LONG_AGO} WHERE account_id = (SELECT id FROM account WHERE email = ${sqlQuote(business.owner.email)})`,
  )

  const dialog = page.getByRole('dialog', { name: "Confirm it's you" })
  await test.step('cancelling the prompt changes nothing', async () => {
    await alert.click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expectToast(page, 'Update Failed', 'Failed to update alert configuration.')
    await expect(alert).toBeChecked()
  })

  await test.step('a wrong password shows an error at its field, the right one runs the action', async () => {
    await alert.click()
    await dialog.getByLabel(/^Password/).fill('not the password')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await expect(dialog.getByText('This password is not right')).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByLabel(/^Password/).fill(business.owner.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await expectToast(page, 'Alert Updated', 'Security alert configuration saved.')
    await expect(dialog).toBeHidden()
    await page.reload()
    await expect(alert).not.toBeChecked()
  })

  await test.step('no second prompt for 15 minutes, and one entry in the audit log', async () => {
    await page.getByRole('button', { name: 'View Audit Log' }).click()
    await page.getByRole('button', { name: 'Show only: Security alert switched' }).first().click()
    await expect(page.getByText('1 event', { exact: true })).toBeVisible()
    await page.getByRole('switch', { name: /^Messages do not arrive/ }).click()
    await expectToast(page, 'Alert Updated')
    await expect(dialog).toBeHidden()
  })
})
