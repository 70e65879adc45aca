// Who sees what at which address, and what is said while nobody knows yet.
import { act, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { sessionExpired } from '@/api/session-expired'
import { keepToastForNextPage, showKeptToast } from '@/session/after-reload'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, problemAnswer, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const signedIn = () => server.on('GET', '/api/auth/me', { body: user })
const signedOut = () => server.on('GET', '/api/auth/me', problemAnswer(buildProblem(401, 'unauthenticated')))

beforeEach(() => {
  server = startFakeServer()
})

describe('while nobody knows yet', () => {
  it('says Loading...', () => {
    server.on('GET', '/api/auth/me', () => new Promise(() => undefined))
    renderApp('/no/such/page')
    expect(screen.getByRole('status')).toHaveTextContent('Loading...')
  })

  it('says that the server is away, and goes on once it is back', async () => {
    server.on(
      'GET',
      '/api/auth/me',
      problemAnswer(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    const app = renderApp('/no/such/page')
    expect(await screen.findByText('The database is away.')).toBeInTheDocument()
    signedIn()
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })
})

describe('a visitor', () => {
  it.each(['/', '/login', '/app', '/app/leads', '/app/no/such/page', '/lead/3f2a'])(
    'at %s meets the login page',
    async (path) => {
      signedOut()
      renderApp(path)
      expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
      expect(screen.queryByText('There is no page at that address')).not.toBeInTheDocument()
    },
  )
})

describe('a visitor who mistyped', () => {
  it.each(['/no/such/page', '/apps', '/faqs'])(
    'meets the login page at %s, which says that nothing is there',
    async (path) => {
      signedOut()
      renderApp(path)
      expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
      expect(screen.getByText('There is no page at that address')).toBeInTheDocument()
      expect(screen.getByRole('link', { name: 'back to the home page' })).toHaveAttribute('href', '/')
    },
  )
})

describe('the login page', () => {
  it('asks for no session on a device where nobody ever signed in', async () => {
    signedOut()
    renderApp('/login')
    expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
    expect(server.requests).toHaveLength(0)
  })

  it('leads on who is signed in already', async () => {
    signedIn()
    localStorage.setItem('toolbox.offline-owner', `${user.orgId}:${user.id}`)
    renderApp('/login?next=%2Fno%2Fsuch%2Fpage')
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })
})

describe('a signed-in person', () => {
  it('is led on from the root, even on a device that remembers nobody', async () => {
    signedIn()
    renderApp('/?next=%2Fno%2Fsuch%2Fpage')
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })

  it('sees the 404 page at an address that is none', async () => {
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

describe('after the reload that ends a session', () => {
  it('says once that one is logged out', async () => {
    signedOut()
    keepToastForNextPage({ title: 'Logged out', description: 'You have been logged out successfully' })
    renderApp('/')
    act(showKeptToast)
    expect(await screen.findByText('You have been logged out successfully')).toBeInTheDocument()
    expect(sessionStorage).toHaveLength(0)
  })
})
