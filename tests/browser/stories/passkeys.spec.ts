// Passkeys, with Chromium's virtual authenticator: added in the account, used on the login page, removed.
import type { Page } from '@playwright/test'
import { findAxeViolations } from '../support/axe'
import { registerBusiness } from '../support/business'
import { SIGNUP_SUBJECTS, savedSubjectsTo } from '../support/saved-emails'
import { expectToast, logOut, signIn } from '../support/screens'
import { expect, test } from '../support/fixtures'

/**
 * A phone's own authenticator, which knows its user by a finger. The browser suggests nothing at the email field
 * (`mediation: 'conditional'`): this authenticator would answer the suggestion by itself, before a button is pressed.
 */
async function anAuthenticator(page: Page) {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('passkey: added, used to sign in, useless once removed', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await anAuthenticator(page)
  await page.goto('/app/account')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expectToast(page, 'Passkey added', 'It signs in without a password.')
  await expect(page.getByText('Not used yet')).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])

  await logOut(page)
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expectToast(page, 'Login successful', 'Welcome back!')

  await page.goto('/app/account')
  await page.getByRole('button', { name: /^Rename / }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Work phone')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Remove Work phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'Passkey removed', 'It no longer works. Every other device was signed out.')
  await expect
    .poll(() => savedSubjectsTo(freshInstall, business.owner.email))
    .toEqual([...SIGNUP_SUBJECTS, 'A passkey was added', 'A passkey was removed'].toSorted())

  await logOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText('This passkey does not sign in here. Use your password.')).toBeVisible()
  await signIn(page, business.owner)
  await expectToast(page, 'Login successful', 'Welcome back!')
})
