// Registration, login and logout, and the data that remains on a device.
import { registerBusiness, createLead } from '../support/business'
import { readableDeviceData } from '../support/device-data'
import { SIGNUP_SUBJECTS, savedSubjectsTo } from '../support/saved-emails'
import { buildCustomer, buildOwner } from '../support/people'
import { expectToast, fillRegistration, findLead, logOut, signIn } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

test('registration: errors appear beside their fields', async ({ freshInstall, visitor }) => {
  const page = await visitor(freshInstall)
  await page.goto('/register')
  await page.getByRole('button', { name: 'Create account' }).click()
  for (const text of ['Full name is required', 'Business name is required', 'Email is required']) {
    await expect(page.getByText(text, { exact: true })).toBeVisible()
  }
  const owner = buildOwner()
  await fillRegistration(page, { ...owner, password: 'short' }, 'other')
  await expect(page.getByText('Password must be at least 8 characters long', { exact: true })).toBeVisible()
  await expect(page.getByText('Passwords do not match', { exact: true })).toBeVisible()
  await page.getByLabel(/^Password/).fill(owner.password)
  await expect(page.getByText('Password must be at least 8 characters long')).toBeHidden()
  await page.getByLabel(/^Confirm password/).fill(owner.password)
  await expect(page.getByText('Passwords do not match')).toBeHidden()
})

test('registration with a taken address: changes nothing, reveals nothing, emails the owner', async ({
  freshInstall,
  visitor,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await visitor(freshInstall)
  await page.goto('/register')
  const stranger = { ...buildOwner(), email: business.owner.email }
  await fillRegistration(page, stranger)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expectToast(page, 'Account Created!')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByLabel('Email')).toHaveValue(stranger.email)
  await expect(page.getByLabel(/^Password/)).toBeFocused()
  await signIn(page, stranger)
  await expectToast(page, 'Login failed', 'Invalid email or password')
  await signIn(page, business.owner)
  await expect(page).toHaveURL(/\/app$/)
  await expect(page.getByRole('main').getByRole('link', { name: new RegExp(`org=${business.slug}`) })).toBeVisible()
  // The browser is one that they had not signed in from before.
  const subjects = [
    ...SIGNUP_SUBJECTS,
    'Security alert: Sign-in from a new device',
    'You already have an account',
  ].toSorted()
  await expect.poll(() => savedSubjectsTo(freshInstall, business.owner.email)).toEqual(subjects)
})

test('password field: can be shown while typing', async ({ freshInstall, visitor }) => {
  const page = await visitor(freshInstall)
  await page.goto('/login')
  const password = page.getByLabel(/^Password/)
  await password.fill('ladder')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(password).toHaveAttribute('type', 'password')
})

test('login: requires both fields and correct credentials', async ({ sharedBusiness, visitor }) => {
  const page = await visitor(sharedBusiness.install)
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expectToast(page, 'Error', 'Please fill in all fields')
  await signIn(page, { email: sharedBusiness.owner.email, password: 'not the password' })
  await expectToast(page, 'Login failed', 'Invalid email or password')
  await expect(page.getByLabel('Email')).toHaveValue(sharedBusiness.owner.email)
})

test('unknown address: login page for visitors, 404 for signed-in users', async ({
  sharedBusiness,
  visitor,
  owner,
}) => {
  const stranger = await visitor(sharedBusiness.install)
  const answer = await stranger.goto('/nowhere')
  expect(answer?.status()).toBe(404)
  await expect(stranger).toHaveURL(/\/login\?next=%2Fnowhere$/)
  await expect(stranger.getByText('There is no page at that address')).toBeVisible()
  await stranger.goto('/app/nowhere')
  await expect(stranger).toHaveURL(/\/login\?next=%2Fapp%2Fnowhere$/)
  await expect(stranger.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  const office = await owner(sharedBusiness)
  await office.goto('/nowhere')
  await expect(office.getByRole('heading', { level: 1, name: 'Page Not Found' })).toBeVisible()
  await office.goto('/app/leads/00000000-0000-7000-8000-000000000000')
  await expect(office.getByRole('heading', { level: 1, name: 'Lead Not Found' })).toBeVisible()
  await expect(office.getByText("The lead you're looking for doesn't exist.")).toBeVisible()
  await office.getByRole('link', { name: 'Back to Leads' }).click()
  await expect(office).toHaveURL(/\/app\/leads$/)
})

test('link to a lead: opens after login, by either address', async ({ sharedBusiness, visitor }) => {
  const customer = buildCustomer()
  const id = await createLead(sharedBusiness, customer)
  const page = await visitor(sharedBusiness.install)
  await page.goto(`/lead/${id}`)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  await signIn(page, sharedBusiness.owner)
  await expect(page).toHaveURL(new RegExp(`/app/leads/${id}$`))
  await expect(page.getByRole('heading', { level: 1, name: customer.name })).toBeVisible()
})

test('logout: shows a toast and leaves no customer data on the device', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  await createLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(findLead(page, customer.name)).toBeVisible()
  await expect.poll(() => readableDeviceData(page)).toContain(customer.name)
  await logOut(page)
  await expectToast(page, 'Logged out', 'You have been logged out successfully')
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  const kept = await readableDeviceData(page)
  for (const trace of [customer.name, customer.e164, customer.email, business.owner.email, business.orgId])
    expect(kept).not.toContain(trace)
  await page.goto('/app/leads')
  await expect(page).toHaveURL(/\/login/)
})

test('logout without a server: shows an error and keeps the session', async ({ freshInstall, owner }) => {
  const page = await owner(await registerBusiness(freshInstall))
  await page.goto('/app/leads')
  await expect(page.getByText('No leads yet')).toBeVisible()
  // Without a connection, code that is not loaded yet comes from it.
  await waitForServiceWorker(page)
  await page.context().setOffline(true)
  await logOut(page)
  await expectToast(page, 'Error', 'Failed to log out')
  await expect(page).toHaveURL(/\/app\/leads$/)
})
