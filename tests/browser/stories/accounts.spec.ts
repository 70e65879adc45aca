// Signing in and out, what a stranger sees, and what a device still knows afterwards.
import { openBusiness, putLead } from '../support/business'
import { keptOnDevice } from '../support/device'
import { OPENING_SUBJECTS, subjectsIn } from '../support/letters'
import { aCustomer, anOwner } from '../support/people'
import { expectToast, fillRegistration, leadInList, logOut, signIn } from '../support/screens'
import { expect, test } from '../support/story'

test('registration says what is wrong beside the field', async ({ bare, visitor }) => {
  const page = await visitor(bare)
  await page.goto('/register')
  await page.getByRole('button', { name: 'Create account' }).click()
  for (const text of ['Full name is required', 'Business name is required', 'Email is required']) {
    await expect(page.getByText(text, { exact: true })).toBeVisible()
  }
  const owner = anOwner()
  await fillRegistration(page, { ...owner, password: 'short' }, 'other')
  await expect(page.getByText('Password must be at least 8 characters long', { exact: true })).toBeVisible()
  await expect(page.getByText('Passwords do not match', { exact: true })).toBeVisible()
  await page.getByLabel(/^Password/).fill(owner.password)
  await expect(page.getByText('Password must be at least 8 characters long')).toBeHidden()
  await page.getByLabel(/^Confirm password/).fill(owner.password)
  await expect(page.getByText('Passwords do not match')).toBeHidden()
})

test('registering an address that is taken changes nothing, tells the stranger nothing, and its owner by mail', async ({
  bare,
  visitor,
}) => {
  const business = await openBusiness(bare)
  const page = await visitor(bare)
  await page.goto('/register')
  const stranger = { ...anOwner(), email: business.owner.email }
  await fillRegistration(page, stranger)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expectToast(page, 'Account Created!')
  await expect(page).toHaveURL(/\/login$/)
  await signIn(page, stranger)
  await expectToast(page, 'Login failed', 'Invalid email or password')
  await signIn(page, business.owner)
  await expect(page).toHaveURL(/\/app$/)
  await expect(page.getByRole('main').getByRole('link', { name: new RegExp(`org=${business.slug}`) })).toBeVisible()
  // The browser is one that they had not signed in from before.
  const subjects = [
    ...OPENING_SUBJECTS,
    'Security alert: Sign-in from a new device',
    'You already have an account',
  ].toSorted()
  await expect.poll(() => subjectsIn(bare, business.owner.email)).toEqual(subjects)
})

test('a password can be seen while it is typed', async ({ bare, visitor }) => {
  const page = await visitor(bare)
  await page.goto('/login')
  const password = page.getByLabel(/^Password/)
  await password.fill('ladder')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(password).toHaveAttribute('type', 'password')
})

test('signing in wants both fields, and the right ones', async ({ shop, visitor }) => {
  const page = await visitor(shop.house)
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expectToast(page, 'Error', 'Please fill in all fields')
  await signIn(page, { email: shop.owner.email, password: 'not the password' })
  await expectToast(page, 'Login failed', 'Invalid email or password')
  await expect(page.getByLabel('Email')).toHaveValue(shop.owner.email)
})

test('an address that does not exist: the login for strangers, who are told, and a 404 page for who is signed in', async ({
  shop,
  visitor,
  owner,
}) => {
  const stranger = await visitor(shop.house)
  const answer = await stranger.goto('/nowhere')
  expect(answer?.status()).toBe(404)
  await expect(stranger).toHaveURL(/\/login\?next=%2Fnowhere$/)
  await expect(stranger.getByText('There is no page at that address')).toBeVisible()
  await stranger.goto('/app/nowhere')
  await expect(stranger).toHaveURL(/\/login\?next=%2Fapp%2Fnowhere$/)
  await expect(stranger.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  const office = await owner(shop)
  await office.goto('/nowhere')
  await expect(office.getByRole('heading', { level: 1, name: 'Page Not Found' })).toBeVisible()
  await office.goto('/app/leads/00000000-0000-7000-8000-000000000000')
  await expect(office.getByRole('heading', { level: 1, name: 'Lead Not Found' })).toBeVisible()
  await expect(office.getByText("The lead you're looking for doesn't exist.")).toBeVisible()
  await office.getByRole('link', { name: 'Back to Leads' }).click()
  await expect(office).toHaveURL(/\/app\/leads$/)
})

test('a link to a lead leads there after signing in, by either address', async ({ shop, visitor }) => {
  const customer = aCustomer()
  const id = await putLead(shop, customer)
  const page = await visitor(shop.house)
  await page.goto(`/lead/${id}`)
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  await signIn(page, shop.owner)
  await expect(page).toHaveURL(new RegExp(`/app/leads/${id}$`))
  await expect(page.getByRole('heading', { level: 1, name: customer.name })).toBeVisible()
})

test('signing out says so and leaves no customer on the device', async ({ bare, owner }) => {
  const business = await openBusiness(bare)
  const customer = aCustomer()
  await putLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await expect(leadInList(page, customer.name)).toBeVisible()
  await expect.poll(() => keptOnDevice(page)).toContain(customer.name)
  await logOut(page)
  await expectToast(page, 'Logged out', 'You have been logged out successfully')
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  const kept = await keptOnDevice(page)
  for (const trace of [customer.name, customer.e164, customer.email, business.owner.email, business.orgId])
    expect(kept).not.toContain(trace)
  await page.goto('/app/leads')
  await expect(page).toHaveURL(/\/login/)
})

test('a sign-out that cannot reach the server says so and stays', async ({ bare, owner }) => {
  const page = await owner(await openBusiness(bare))
  await page.goto('/app/leads')
  await expect(page.getByText('No leads yet')).toBeVisible()
  await page.context().setOffline(true)
  await logOut(page)
  await expectToast(page, 'Error', 'Failed to log out')
  await expect(page).toHaveURL(/\/app\/leads$/)
})
