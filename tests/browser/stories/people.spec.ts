// The team: invited by email, joined by its link, and deactivated at once.
import { registerBusiness } from '../support/business'
import { decodeEmailText } from '../support/saved-emails'
import { expectToast, signIn } from '../support/screens'
import { expect, test } from '../support/fixtures'
import { buildColleague, expectApiStatus } from '../support/team'

test('team: a member is invited by email, joins, works, and is deactivated', async ({
  connected: { install, mailbox },
  owner,
  visitor,
}) => {
  const business = await registerBusiness(install)
  const [boss, desk] = [await owner(business), await visitor(install)]
  const sam = buildColleague('Sam Field')
  let link = ''

  await test.step('the invitation is emailed', async () => {
    await boss.goto('/app/settings/people')
    await boss.getByRole('button', { name: 'Invite someone' }).click()
    const dialog = boss.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill(sam.name)
    await dialog.getByRole('textbox', { name: 'Email' }).fill(sam.email)
    await dialog.getByRole('radio', { name: /^Office/ }).check()
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await expect(
      boss.getByRole('dialog', { name: `${sam.name} is invited` }).getByText('The link is on its way by email.'),
    ).toBeVisible()
    await boss.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await expect(boss.getByRole('region', { name: 'Invited' }).getByText(`Office, ${sam.email}`)).toBeVisible()
    await expect.poll(() => mailbox.lettersTo(sam.email)).toHaveLength(1)
    // The proof of the address follows the token.
    link = /\/join\/[\w-]+~[\w-]+/.exec(decodeEmailText(mailbox.lettersTo(sam.email)[0]?.raw ?? ''))?.[0] ?? ''
  })

  await test.step('the link works once', async () => {
    await desk.goto(link)
    await expect(desk.getByRole('heading', { name: `Join ${business.owner.orgName}` })).toBeVisible()
    await expect(desk.getByText('You were invited to work in the office.')).toBeVisible()
    await expect(desk.getByLabel(/^Email/)).toHaveValue(sam.email)
    await desk.getByLabel(/^Password/).fill(sam.password)
    await desk.getByLabel(/^Confirm password/).fill(sam.password)
    await desk.getByRole('button', { name: 'Join', exact: true }).click()
    await expect(desk.getByText(`You are part of ${business.owner.orgName} now.`)).toBeVisible()
    await expect(desk).toHaveURL(/\/app$/)
    await desk.goto('/app/settings/people')
    await expect(desk.getByText(`${sam.name} (you)`)).toBeVisible()
    await expect(desk.getByRole('button', { name: 'Invite someone' })).toHaveCount(0)
    const stranger = await visitor(install)
    await stranger.goto(link)
    await expect(stranger.getByRole('heading', { level: 1, name: 'This invitation is no longer valid' })).toBeVisible()
  })

  await test.step('after deactivation the open page is signed out and the password is refused', async () => {
    await desk.goto('/app/leads')
    await expect(desk.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
    await boss.reload()
    await boss.getByRole('button', { name: `Edit ${sam.name}` }).click()
    await boss.getByRole('switch', { name: /^May sign in/ }).click()
    await boss.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expectToast(boss, 'Saved', 'It holds from now on.')
    await expect(boss.getByText('Deactivated', { exact: true })).toBeVisible()
    // Nobody touches the page: it hears of it by itself.
    await expect(desk.getByRole('dialog', { name: 'Sign in again' })).toBeVisible()
    await expectApiStatus(desk.request, 401, ['/api/auth/me', '/api/customers'])
    await desk.reload()
    await expect(desk).toHaveURL(/\/login/)
    await signIn(desk, sam)
    await expectToast(desk, 'Login failed')
  })
})
