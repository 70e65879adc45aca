import { screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const budgets = [{ what: 'text', usedToday: 4, aDay: 10, used: 12, inAll: 30 }]
const steps = (reached: number) =>
  ['address_proven', 'sender_verified', 'trusted'].map((level, place) => ({ level, isReached: place < reached }))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser({ isEmailProven: false }) })
})

it('banner: says that nothing is sent, and resends the link', async () => {
  server.on('GET', '/api/trust', {
    body: { level: 'new', steps: steps(0), next: 'Open the link.', budgets: [], takesMoney: false },
  })
  server.on('POST', '/api/account/proof', { status: 202 })
  const app = renderApp('/app/settings/subscription')
  await app.user.click(await screen.findByRole('button', { name: 'Send it again' }))
  expect(await screen.findByText('Mail Sent')).toBeInTheDocument()
})

it.each([
  [true, /Open the link that we sent to/],
  [false, /was saved as a file. Ask the person who runs your Toolbox for the link, then open it/],
])('banner: says where the link is: mail leaves %s', async (mailLeaves, expectedText) => {
  server.on('GET', '/api/trust', {
    body: { level: 'new', steps: steps(0), next: 'Open the link.', budgets: [], takesMoney: false, mailLeaves },
  })
  renderApp('/app/settings/subscription')
  const banner = await screen.findByText(expectedText)
  expect(banner).toHaveTextContent('Nothing goes to your customers until your address is confirmed.')
})

it('banner: says what the public pages say and take until the address is confirmed', async () => {
  const publicRequestsADay = 20
  server.on('GET', '/api/trust', {
    body: { level: 'new', steps: steps(0), next: null, budgets: [], takesMoney: false, publicRequestsADay },
  })
  renderApp('/app/settings/subscription')
  expect(
    await screen.findByText(/your public pages say that it is not confirmed, and take 20 requests a day/),
  ).toBeInTheDocument()
})

it('name that no message says yet: what they say in its place stands beside the limits', async () => {
  const nameInMessages = 'a business on Toolbox'
  server.on('GET', '/api/trust', {
    body: { level: 'address_proven', steps: steps(1), next: null, budgets: [], takesMoney: false, nameInMessages },
  })
  renderApp('/app/settings/subscription')
  expect(await screen.findByText(/For now your messages call the business “a business on Toolbox”/)).toBeInTheDocument()
})

it('resent mail saved as a file: not called sent', async () => {
  server.on('GET', '/api/trust', {
    body: { level: 'new', steps: steps(0), next: 'Open the link.', budgets: [], takesMoney: false },
  })
  server.on('POST', '/api/account/proof', {
    status: 202,
    headers: { 'X-Waiting': 'email: saved as a file: email is not set up' },
  })
  const app = renderApp('/app/settings/subscription')
  await app.user.click(await screen.findByRole('button', { name: 'Send it again' }))
  expect(await screen.findByText('Not sent yet')).toBeInTheDocument()
  expect(screen.getByText('Email saved as a file: email is not set up.')).toBeInTheDocument()
  expect(screen.queryByText('Mail Sent')).not.toBeInTheDocument()
})

it('trust card: shows the level, the next step, and used budgets', async () => {
  server.on('GET', '/api/trust', {
    body: {
      level: 'address_proven',
      steps: steps(1),
      next: 'A number of your own opens more.',
      budgets,
      takesMoney: false,
    },
  })
  renderApp('/app/settings/subscription')
  expect(await screen.findByText('A number of your own opens more.')).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Go to Texting number' })).toHaveAttribute(
    'href',
    '/app/settings/texting-number',
  )
  expect(screen.getByText('4 of 10')).toBeInTheDocument()
  expect(screen.getByText('12 of 30')).toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Send it again' })).not.toBeInTheDocument()
})

it('email confirmation: needs a press, opening is not enough', async () => {
  server.on('POST', '/api/auth/proof/look', { body: { business: 'Acme & Sons' } })
  server.on('POST', '/api/auth/proof', { body: { resetToken: null } })
  const app = renderApp('/confirm-email#the-token')
  const press = await screen.findByRole('button', { name: 'Confirm my address' })
  expect(server.requests.filter(({ url }) => url.endsWith('/proof'))).toHaveLength(0)
  expect(await screen.findByText(/^For Acme & Sons\. If you did not register it/)).toBeInTheDocument()
  expect(screen.getByText(/^This ends everything that was set up with your address before/)).toBeInTheDocument()
  await app.user.click(press)
  expect(await screen.findByRole('heading', { name: 'Your email address is confirmed' })).toBeInTheDocument()
})

it('after confirmation: says what enables customer messages', async () => {
  server.on('POST', '/api/auth/proof', {
    body: { resetToken: null, closed: 'Nothing goes to your customers yet: subscribe under Billing.' },
  })
  const app = renderApp('/confirm-email#the-token')
  await app.user.click(await screen.findByRole('button', { name: 'Confirm my address' }))
  expect(await screen.findByText('Nothing goes to your customers yet: subscribe under Billing.')).toBeInTheDocument()
  expect(screen.queryByText(/can write to its customers now/)).not.toBeInTheDocument()
})

it('after confirmation: asks for a new password when signed out', async () => {
  server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))
  server.on('POST', '/api/auth/proof', { body: { resetToken: 'a-ticket' } })
  const app = renderApp('/confirm-email#the-token')
  await app.user.click(await screen.findByRole('button', { name: 'Confirm my address' }))
  expect(await screen.findByRole('link', { name: 'Choose a password' })).toHaveAttribute(
    'href',
    '/reset-password#a-ticket',
  )
})

it('foreign registration: removed by a press', async () => {
  server.on('POST', '/api/auth/proof/look', { body: { business: 'Acme & Sons' } })
  server.on('POST', '/api/auth/proof/disown', { status: 204 })
  const app = renderApp('/not-me#the-token')
  const press = await screen.findByRole('button', { name: 'This was not me. Remove it' })
  expect(await screen.findByText(/^Someone registered Acme & Sons with it/)).toBeInTheDocument()
  expect(server.requests.filter(({ url }) => url.endsWith('/disown'))).toHaveLength(0)
  await app.user.click(press)
  expect(await screen.findByRole('heading', { name: 'It is removed' })).toBeInTheDocument()
})

it('inherited settings: listed for the owner, and all reset', async () => {
  const inherited = {
    until: '2026-11-20T15:04:05.000Z',
    items: [
      { what: 'webhook' as const, count: 1, examples: ['https://evil.example/x'] },
      { what: 'logo' as const, count: 1, examples: ['on papers, emails and pages'] },
    ],
  }
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/trust', {
    body: { level: 'address_proven', steps: steps(1), next: null, budgets: [], takesMoney: false, inherited },
  })
  server.on('POST', '/api/trust/inherited/reset', { status: 204 })
  const app = renderApp('/app/settings/subscription')
  await app.user.click(await screen.findByRole('button', { name: 'Look' }))
  expect(screen.getByText('Webhooks: 1')).toBeInTheDocument()
  expect(screen.getByText('Logo: 1')).toBeInTheDocument()
  await app.user.click(screen.getByRole('button', { name: 'Reset it all' }))
  expect(await screen.findByText('Done')).toBeInTheDocument()
})

it('used link: says that it is no longer valid', async () => {
  server.on('POST', '/api/auth/proof', buildProblemResponse(buildProblem(404, 'not_found')))
  const app = renderApp('/confirm-email#the-token')
  await app.user.click(await screen.findByRole('button', { name: 'Confirm my address' }))
  expect(await screen.findByRole('heading', { name: 'This link is no longer valid' })).toBeInTheDocument()
})

it('registration page: says that an invitation is needed', async () => {
  server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))
  server.on('GET', '/api/auth/registration', {
    body: { mode: 'invite', notice: 'You need an invitation to register here.' },
  })
  renderApp('/register')
  expect(await screen.findByText('You need an invitation to register here.')).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Request a demo' })).toBeInTheDocument()
  expect(screen.queryByLabelText(/^Business name/)).not.toBeInTheDocument()
})

it('team member: their own address is shown as unconfirmed', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew', isEmailProven: false }) })
  server.on('POST', '/api/account/proof', { status: 202 })
  const app = renderApp('/app')
  await app.user.click(await screen.findByRole('button', { name: 'Send the link' }))
  expect(await screen.findByText('Mail Sent')).toBeInTheDocument()
})
