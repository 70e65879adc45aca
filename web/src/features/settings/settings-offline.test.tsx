import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

vi.mock('./communications/templates-page', () => ({
  TemplatesPage: () => {
    throw new TypeError('Failed to fetch dynamically imported module: /assets/online/templates-page.js')
  },
}))

const user = buildUser()

// Under load React renders the page that throws a second time, and reports the first error to the window.
globalThis.addEventListener('error', (event) => event.preventDefault())

beforeAll(() =>
  Promise.all([import('./settings.route'), import('./pages/topic-page'), import('./organization/business-card')]),
)

beforeEach(() => {
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `/api/org/${user.orgId}`, {
    body: { id: user.orgId, slug: 'acme', name: 'Acme Plumbing', timezone: 'America/Chicago' },
  })
  // React tells of every crash, and so does the net that catches it.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.stubGlobal('reportError', () => undefined)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
})

it('a page that cannot be loaded: shows its own error, and the way back', async () => {
  renderApp('/app/settings/templates')
  expect(await screen.findByRole('heading', { level: 2, name: 'This page could not be loaded' })).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Settings', current: false })).toBeInTheDocument()
})

it('input without a connection: stays, and is reported as not saved', async () => {
  const { user: person } = renderApp('/app/settings/business')
  const name = await screen.findByLabelText(/^Business name/)
  expect(screen.getByText('You are offline. Settings need a connection.')).toBeInTheDocument()
  await person.type(name, ' & Sons')
  await person.tab()
  expect(screen.getByText(/^You are offline. What you typed stays here/)).toBeInTheDocument()
  expect(name).toHaveValue('Acme Plumbing & Sons')
})
