import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
let isSignedIn: boolean
const user = buildUser()

beforeEach(() => {
  isSignedIn = false
  server = startFakeServer()
  server.on('GET', '/api/auth/me', () =>
    isSignedIn ? { body: user } : buildProblemResponse(buildProblem(401, 'unauthenticated')),
  )
  server.on('POST', '/api/auth/login', () => {
    isSignedIn = true
    return { body: user }
  })
})

async function fillLogin(app: ReturnType<typeof renderApp>, email = 'olivia@acme.test', password = 'correct horse') {
  await app.user.type(await screen.findByLabelText(/^Email/), email)
  await app.user.type(screen.getByLabelText(/^Password/), password)
  await app.user.click(screen.getByRole('button', { name: 'Sign In' }))
}

describe('login page', () => {
  it('shows errors for empty fields, and sends no request', async () => {
    const app = renderApp('/login')
    await app.user.click(await screen.findByRole('button', { name: 'Sign In' }))
    expect(await screen.findByText('Please fill in all fields')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Email/)).toHaveAccessibleDescription('Please enter your email')
    expect(screen.getByLabelText(/^Password/)).toHaveAccessibleDescription('Please enter your password')
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
  })

  it('links to the demonstration by a full page load', async () => {
    renderApp('/login')
    expect(await screen.findByRole('link', { name: 'View Demo Dashboard' })).toHaveAttribute('href', '/demo')
  })

  it('without a demonstration: does not link to it', async () => {
    server.on('GET', '/api/auth/registration', { body: { mode: 'open', notice: null, hasDemo: false } })
    renderApp('/login')
    expect(await screen.findByRole('button', { name: 'Sign In' })).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByRole('link', { name: 'View Demo Dashboard' })).not.toBeInTheDocument())
  })

  it('greets the user and opens the requested page', async () => {
    const app = renderApp('/app/no/such/page?x=1')
    await fillLogin(app)
    expect(await screen.findByText('Login successful')).toBeInTheDocument()
    expect(screen.getByText('Welcome back!')).toBeInTheDocument()
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })

  it('keeps the email and shows the error', async () => {
    server.on(
      'POST',
      '/api/auth/login',
      buildProblemResponse(buildProblem(401, 'invalid_credentials', { detail: 'Invalid email or password' })),
    )
    const app = renderApp('/login')
    await fillLogin(app)
    const toast = await screen.findByText('Login failed')
    expect(toast.parentElement).toHaveTextContent('Invalid email or password')
    expect(screen.getByLabelText(/^Email/)).toHaveValue('olivia@acme.test')
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeEnabled()
  })

  it('offers an emailed link while password attempts are blocked', async () => {
    server.on(
      'POST',
      '/api/auth/login',
      buildProblemResponse(
        buildProblem(429, 'sign_in_held', { detail: 'Someone is trying passwords for this address.' }),
        {
          'Retry-After': '3578',
        },
      ),
    )
    server.on('POST', '/api/auth/reset', { status: 202, body: { status: 'sent' } })
    const app = renderApp('/login')
    await fillLogin(app)
    expect(await screen.findByText('Someone is trying passwords for this address')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Email me a link' }))
    expect(await screen.findByText('Check your email')).toBeInTheDocument()
    const sent = server.requests.find(({ url }) => url.endsWith('/api/auth/reset'))
    expect(await sent?.json()).toEqual({ email: 'olivia@acme.test' })
  })

  it('shows and hides the password', async () => {
    const app = renderApp('/login')
    const field = await screen.findByLabelText(/^Password/)
    expect(field).toHaveAttribute('type', 'password')
    await app.user.click(screen.getByRole('button', { name: 'Show password' }))
    expect(field).toHaveAttribute('type', 'text')
    await app.user.click(screen.getByRole('button', { name: 'Hide password' }))
    expect(field).toHaveAttribute('type', 'password')
  })

  it('is shown to visitors at the root and at a lead’s address', async () => {
    renderApp('/lead/3f2a')
    expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
  })
})

async function fillRegistration(app: ReturnType<typeof renderApp>, password: string, confirm: string) {
  await app.user.type(await screen.findByLabelText(/^Full name/), 'Olivia Owner')
  await app.user.type(screen.getByLabelText(/^Business name/), 'Acme Plumbing')
  await app.user.type(screen.getByLabelText(/^Email/), 'olivia@acme.test')
  await app.user.type(screen.getByLabelText(/^Password/), password)
  await app.user.type(screen.getByLabelText(/^Confirm password/), confirm)
  await app.user.click(screen.getByRole('button', { name: 'Create account' }))
}

describe('registration', () => {
  it('names missing, short and mismatched fields', async () => {
    const app = renderApp('/register')
    await fillRegistration(app, 'short', 'other')
    expect(await screen.findByText('Password must be at least 8 characters long')).toBeInTheDocument()
    expect(screen.getByText('Passwords do not match')).toBeInTheDocument()
    await app.user.clear(screen.getByLabelText(/^Full name/))
    expect(await screen.findByText('Full name is required')).toBeInTheDocument()
  })

  it.each([
    ['short', 'Password must be at least 8 characters long'],
    ['aaaaaaaaaa', 'This password is among the most used ones. Please choose a less common one'],
    ['Acme Plumbing 1!', 'Please choose a password that is not the name of your business or your email'],
    ['Olivia@acme.test', 'Please choose a password that is not the name of your business or your email'],
  ])('weak password %s is refused at its field before anything is sent', async (password, fault) => {
    const app = renderApp('/register')
    await app.user.type(await screen.findByLabelText(/^Business name/), 'Acme Plumbing')
    await app.user.type(screen.getByLabelText(/^Email/), 'olivia@acme.test')
    await app.user.type(screen.getByLabelText(/^Password/), password)
    await app.user.tab()
    expect(await screen.findByText(fault)).toBeInTheDocument()
    expect(screen.getByLabelText(/^Password/)).toHaveAccessibleDescription(new RegExp(fault))
    await app.user.clear(screen.getByLabelText(/^Password/))
    await app.user.type(screen.getByLabelText(/^Password/), 'correct horse 7')
    await waitFor(() => expect(screen.queryByText(fault)).not.toBeInTheDocument())
    expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('sends the required fields with the trade, and opens the login page', async () => {
    server.on('POST', '/api/auth/register', { status: 201, body: { status: 'created' } })
    const app = renderApp('/register')
    await fillRegistration(app, 'correct horse', 'correct horse')
    expect(await screen.findByText('Account Created!')).toBeInTheDocument()
    expect(screen.getByText('Your account has been created successfully. You can now log in.')).toBeInTheDocument()
    expect(await screen.findByRole('heading', { name: 'Welcome, Olivia' })).toBeInTheDocument()
    expect(screen.getByText('Your business is registered. Sign in to set it up.')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Email/)).toHaveValue('olivia@acme.test')
    expect(screen.getByLabelText(/^Password/)).toHaveFocus()
    expect(screen.queryByRole('heading', { name: 'Welcome back' })).not.toBeInTheDocument()
    const sent = server.requests.find(({ url }) => url.endsWith('/register'))
    expect(await sent?.json()).toEqual({
      name: 'Olivia Owner',
      email: 'olivia@acme.test',
      password: 'correct horse',
      orgName: 'Acme Plumbing',
      industry: 'Contractor',
    })
  })

  it('shows the server’s password error at its field', async () => {
    const errors = { password: 'Too common. A short sentence is safer.' }
    server.on(
      'POST',
      '/api/auth/register',
      buildProblemResponse(buildProblem(422, 'validation_failed', { detail: 'Check the password.', errors })),
    )
    const app = renderApp('/register')
    await fillRegistration(app, 'password1', 'password1')
    expect(await screen.findByText('Registration Failed')).toBeInTheDocument()
    const field = screen.getByLabelText(/^Password/)
    expect(await screen.findByText(errors.password)).toBeInTheDocument()
    expect(field).toHaveAccessibleDescription(/Too common/)
    expect(field).toHaveFocus()
    expect(screen.getByLabelText(/^Full name/)).toHaveValue('Olivia Owner')
  })
})

describe('staff shell', () => {
  it('links only to existing screens, and logs out', async () => {
    isSignedIn = true
    server.on('POST', '/api/auth/logout', buildProblemResponse(buildProblem(503, 'unavailable')))
    const app = renderApp('/app/no/such/page')
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
    const [sidebar] = screen.getAllByRole('navigation', { name: 'Main' })
    expect(
      within(sidebar ?? document.body)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual([
      'Dashboard',
      'Leads',
      'Booked Jobs',
      'Inbox',
      'Schedule',
      'Customers',
      'Invoices',
      'Reviews',
      'Today',
      'Settings',
      'Security Admin',
    ])
    await app.user.click(screen.getByRole('button', { name: 'Logout' }))
    expect(await screen.findByText('Failed to log out')).toBeInTheDocument()
  })

  it('opens and closes the phone menu', async () => {
    isSignedIn = true
    const app = renderApp('/app/no/such/page')
    await app.user.click(await screen.findByRole('button', { name: 'More' }))
    expect(screen.getByRole('dialog', { name: 'Menu' })).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Close menu' }))
    expect(screen.queryByRole('button', { name: 'Close menu' })).not.toBeInTheDocument()
  })
})
