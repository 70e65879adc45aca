import { act, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { sessionExpired } from '@/api/session-expired'
import { saveToastForReload, showSavedToast } from '@/features/session/saved-toast'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const signedIn = () => server.on('GET', '/api/auth/me', { body: user })
const signedOut = () => server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))

beforeEach(() => {
  server = startFakeServer()
})

describe('unknown session', () => {
  it('says Loading...', () => {
    server.on('GET', '/api/auth/me', () => new Promise(() => undefined))
    renderApp('/no/such/page')
    expect(screen.getByRole('status')).toHaveTextContent('Loading...')
  })

  it('says that the server is unreachable, and continues once it is back', async () => {
    server.on(
      'GET',
      '/api/auth/me',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    const app = renderApp('/no/such/page')
    expect(await screen.findByText('The database is away.')).toBeInTheDocument()
    signedIn()
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })
})

describe('visitor', () => {
  it.each(['/', '/login', '/app', '/app/leads', '/app/no/such/page', '/lead/3f2a'])(
    'at %s: sees the login page',
    async (path) => {
      signedOut()
      renderApp(path)
      expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
      expect(screen.queryByText('There is no page at that address')).not.toBeInTheDocument()
    },
  )
})

describe('visitor at an unknown address', () => {
  it.each(['/no/such/page', '/apps', '/faqs'])('%s: sees the login page with a not-found message', async (path) => {
    signedOut()
    renderApp(path)
    expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
    expect(screen.getByText('There is no page at that address')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'back to the home page' })).toHaveAttribute('href', '/')
  })
})

describe('login page', () => {
  it('requests no session on a device without earlier sign-ins', async () => {
    signedOut()
    renderApp('/login')
    expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
    const paths = server.requests.map(({ url }) => new URL(url).pathname)
    expect(paths).not.toContain('/api/auth/me')
  })

  it('redirects signed-in users', async () => {
    signedIn()
    localStorage.setItem('toolbox.offline-owner', `${user.orgId}:${user.id}`)
    renderApp('/login?next=%2Fno%2Fsuch%2Fpage')
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })
})

describe('signed-in user', () => {
  it('is redirected from the root, also on an unknown device', async () => {
    signedIn()
    renderApp('/?next=%2Fno%2Fsuch%2Fpage')
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })

  it('sees the 404 page at an unknown address', async () => {
    signedIn()
    renderApp('/no/such/page')
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })

  it('signs in again in place when the session has ended', async () => {
    signedIn()
    server.on('POST', '/api/auth/login', { body: user })
    const app = renderApp('/no/such/page')
    await screen.findByRole('heading', { name: 'Page Not Found' })
    act(() => sessionExpired.report())
    expect(await screen.findByRole('dialog', { name: 'Sign in again' })).toBeInTheDocument()
    expect(screen.getByLabelText(/^Email/)).toHaveValue(user.email)
    await app.user.type(screen.getByLabelText(/^Password/), 'correct horse')
    await app.user.click(screen.getByRole('button', { name: 'Sign In' }))
    expect(await screen.findByText('Welcome back!')).toBeInTheDocument()
    expect(screen.queryByRole('dialog', { name: 'Sign in again' })).not.toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })
})

describe('reload after logout', () => {
  it('shows the logout toast once', async () => {
    signedOut()
    saveToastForReload({ title: 'Logged out', description: 'You have been logged out successfully' })
    renderApp('/')
    act(showSavedToast)
    expect(await screen.findByText('You have been logged out successfully')).toBeInTheDocument()
    expect(sessionStorage).toHaveLength(0)
  })
})
