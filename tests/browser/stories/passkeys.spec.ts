// Passkeys, with an authenticator that Chromium makes: added in the account, used on the login page, removed.
import type { Page } from '@playwright/test'
import { findings } from '../support/axe'
import { openBusiness } from '../support/business'
import { OPENING_SUBJECTS, subjectsIn } from '../support/letters'
import { expectToast, logOut, signIn } from '../support/screens'
import { expect, test } from '../support/story'

/** Does what makes the browser ask for a passkey, and touches the authenticator for it. */
type Touch = (action: () => Promise<unknown>) => Promise<void>

/**
 * A phone's own authenticator, which knows its user by a finger. Its user is present only within `touch`: else Chromium
 * answers by itself what the email field suggests (`mediation: 'conditional'`), and nobody would press a button.
 */
async function anAuthenticator(page: Page): Promise<Touch> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: false },
  })
  const present = (enabled: boolean) => devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  return async (action) => {
    const used = new Promise<void>((resolve) => {
      devtools.once('WebAuthn.credentialAdded', () => resolve())
      devtools.once('WebAuthn.credentialAsserted', () => resolve())
    })
    await present(true)
    await action()
    await used
    await present(false)
  }
}

test('a passkey is added, signs in without an address or a password, and opens nothing once it is removed', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const page = await owner(business)
  const touch = await anAuthenticator(page)
  await page.goto('/app/account')
  await touch(() => page.getByRole('button', { name: 'Add a passkey' }).click())
  await expectToast(page, 'Passkey added', 'It signs in without a password.')
  await expect(page.getByText('Not used yet')).toBeVisible()
  expect(await findings(page)).toEqual([])

  await logOut(page)
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible()
  expect(await findings(page)).toEqual([])
  await touch(() => page.getByRole('button', { name: 'Sign in with a passkey' }).click())
  await expectToast(page, 'Login successful', 'Welcome back!')

  await page.goto('/app/account')
  await page.getByRole('button', { name: /^Rename / }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Work phone')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove Work phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'Passkey removed', 'It opens nothing any more. Every other device was signed out.')
  await expect.poll(() => subjectsIn(bare, business.owner.email)).toEqual([...OPENING_SUBJECTS, 'A passkey was added', 'A passkey was removed'].toSorted())

  await logOut(page)
  await touch(() => page.getByRole('button', { name: 'Sign in with a passkey' }).click())
  await expect(page.getByText('This passkey does not sign in here. Use your password.')).toBeVisible()
  await signIn(page, business.owner)
  await expectToast(page, 'Login successful', 'Welcome back!')
})
