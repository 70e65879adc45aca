// Signing in by two steps, a phone that is lost, a password that is forgotten, and a device that is signed out.
import type { Page } from '@playwright/test'
import { Authenticator } from '../support/authenticator'
import { openBusiness } from '../support/business'
import { lettersIn } from '../support/letters'
import { expectToast, logOut, signIn } from '../support/screens'
import { expect, test } from '../support/story'

/** Turns two-step sign-in on in the account: the app, and the codes for a lost phone. */
async function turnOn(page: Page): Promise<{ app: Authenticator; codes: string[] }> {
  await page.goto('/app/account')
  await page.getByRole('button', { name: 'Turn on' }).click()
  const dialog = page.getByRole('dialog')
  const address = await dialog.getByRole('link', { name: 'Open my authenticator app' }).getAttribute('href')
  const app = new Authenticator(address ?? '')
  await dialog.getByLabel(/^Code/).fill(app.code())
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const items = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(items).toHaveCount(10)
  const codes = await items.allTextContents()
  await dialog.getByRole('button', { name: 'I have kept them' }).click()
  await expect(page.getByText('Signing in asks for a code of your authenticator app.')).toBeVisible()
  return { app, codes }
}

test('a password alone opens nothing once an app was set up, and a recovery code opens it without the phone', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const page = await owner(business)
  const { app, codes } = await turnOn(page)
  await logOut(page)
  await signIn(page, business.owner)
  await page.getByLabel(/^Code/).fill('000000')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page.getByText('This code is not right. Use the newest one of your app')).toBeVisible()
  await page.getByLabel(/^Code/).fill(app.code())
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expectToast(page, 'Login successful', 'Welcome back!')
  await logOut(page)
  await signIn(page, business.owner)
  await page.getByLabel(/^Code/).fill(codes[0] ?? '')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expectToast(page, 'Login successful', 'Welcome back!')
  await expect.poll(() => lettersIn(bare, business.owner.email)).toHaveLength(2)
})

test('a forgotten password is chosen anew by the link of a mail, which works once', async ({ bare, visitor }) => {
  const business = await openBusiness(bare)
  const page = await visitor(bare)
  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel(/^Email/).fill(business.owner.email)
  await page.getByRole('button', { name: 'Mail me a link' }).click()
  await expect(page.getByText('Look into your mail')).toBeVisible()
  await expect.poll(() => lettersIn(bare, business.owner.email)).toHaveLength(1)
  const [letter] = await lettersIn(bare, business.owner.email)
  // Soft line breaks of quoted-printable part the address.
  const token = /\/reset-password#([\w-]{64})/.exec((letter?.text ?? '').replaceAll(/=\r?\n/g, ''))?.[1] ?? ''
  const password = 'three blue ladders and a bucket'
  for (const isFirst of [true, false]) {
    await page.goto('/login')
    await page.goto(`/reset-password#${token}`)
    await expect(page).toHaveURL(/\/reset-password$/)
    await page.getByLabel(/^New password/).fill(password)
    await page.getByLabel(/^Confirm password/).fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    if (isFirst) await expectToast(page, 'Password changed', 'Sign in with the new one.')
    else await expect(page.getByRole('heading', { name: 'This link is not valid any more' })).toBeVisible()
  }
  await page.goto('/login')
  await signIn(page, { email: business.owner.email, password })
  await expect(page).toHaveURL(/\/app$/)
})

test('a device that is signed out from another one is out at once', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const [lost, here] = [await owner(business), await owner(business)]
  await lost.goto('/app/leads')
  await here.goto('/app/account')
  await here.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await expectToast(here, 'Signed out everywhere else', 'Only this device is signed in.')
  await lost.reload()
  await expect(lost).toHaveURL(/\/login/)
})
