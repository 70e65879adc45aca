// Two-factor login: authenticator app, recovery codes, and enforcement by the owner.
import type { Page } from '@playwright/test'
import { Authenticator } from '../support/authenticator'
import { findAxeViolations } from '../support/axe'
import { registerBusiness } from '../support/business'
import { SIGNUP_SUBJECTS, savedSubjectsTo } from '../support/saved-emails'
import { expectToast, logOut, signIn } from '../support/screens'
import { expect, test } from '../support/fixtures'
import { joinBusiness } from '../support/team'

/** Adds the key shown on the page to an authenticator. */
async function appOf(page: Page): Promise<Authenticator> {
  return new Authenticator(
    (await page.getByRole('link', { name: 'Open my authenticator app' }).getAttribute('href')) ?? '',
  )
}

/** The codes for a lost phone, written down before anything goes on. */
async function keptCodes(page: Page): Promise<string[]> {
  const items = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(items).toHaveCount(10)
  const codes = await items.allTextContents()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  return codes
}

/** Turns two-step sign-in on in the account. */
async function turnOn(page: Page): Promise<{ app: Authenticator; codes: string[] }> {
  await page.goto('/app/account')
  await page.getByRole('button', { name: 'Turn on' }).click()
  const dialog = page.getByRole('dialog')
  const app = await appOf(page)
  await dialog.getByRole('textbox', { name: 'Code' }).fill(app.code())
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const codes = await keptCodes(page)
  await expect(page.getByText('Signing in asks for a code of your authenticator app.')).toBeVisible()
  return { app, codes }
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill(code)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

test('two-factor login: requires the code; a recovery code works once without the phone', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  const { app, codes } = await turnOn(page)
  const [spent = ''] = codes
  await logOut(page)
  await signIn(page, business.owner)
  await typeCode(page, '000000')
  await expect(page.getByText('This code is not right. Use the newest one of your app')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  expect((await page.request.get('/api/auth/me')).status()).toBe(401)
  await typeCode(page, app.code())
  await expectToast(page, 'Login successful', 'Welcome back!')

  await logOut(page)
  await signIn(page, business.owner)
  await typeCode(page, spent)
  await expectToast(page, 'Login successful', 'Welcome back!')
  await expect
    .poll(() => savedSubjectsTo(freshInstall, business.owner.email))
    .toEqual([...SIGNUP_SUBJECTS, 'A recovery code was used', 'Two-step sign-in is on'].toSorted())

  await logOut(page)
  await signIn(page, business.owner)
  await typeCode(page, spent)
  await expect(
    page
      .getByRole('alert')
      .or(page.getByText(/is not right/))
      .first(),
  ).toBeVisible()
  expect((await page.request.get('/api/auth/me')).status()).toBe(401)
})

test('two-factor required by the owner: members without it are signed out and set it up at the next login', async ({
  freshInstall,
  owner,
  visitor,
}) => {
  const business = await registerBusiness(freshInstall)
  const [boss, desk] = [await owner(business), await visitor(freshInstall)]
  const sam = await joinBusiness(desk, boss, business, 'office')
  await desk.goto('/app/leads')
  await expect(desk.getByText('No leads yet')).toBeVisible()

  await boss.goto('/app/account')
  await expect(boss.getByText('Once it is on for you, you can ask everybody in the business for it.')).toBeVisible()
  await turnOn(boss)
  await boss.getByRole('switch', { name: /^Ask everybody for it/ }).click()
  await expectToast(boss, 'Saved', 'Anyone without a code sets it up at the next sign-in.')

  await desk.reload()
  await expect(desk).toHaveURL(/\/login/)
  await signIn(desk, sam)
  await expect(
    desk.getByText('Your business asks everybody for a code beside the password.', { exact: false }),
  ).toBeVisible()
  expect(await findAxeViolations(desk)).toEqual([])
  const app = await appOf(desk)
  await typeCode(desk, app.code())
  await keptCodes(desk)
  await expect(desk).toHaveURL(/\/app\/leads$/)
  await expect(desk.getByText('No leads yet')).toBeVisible()

  await desk.goto('/app/account')
  await expect(desk.getByText('Your business asks everybody for it.')).toBeVisible()
  await expect(desk.getByRole('button', { name: 'Turn off' })).toHaveCount(0)
})
