import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

vi.mock('./communications/communications-tab', () => ({
  CommunicationsTab: () => {
    throw new TypeError('Failed to fetch dynamically imported module: /assets/online/communications-tab.js')
  },
}))

const user = buildUser()

beforeAll(() => Promise.all([import('./settings.route'), import('./organization/organization-tab')]))

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

it('offline tab: shows its own error while others stay', async () => {
  const { user: person } = renderApp('/app/settings')
  const name = await screen.findByLabelText(/^Business name/, {}, { timeout: 5000 })
  await person.type(name, ' & Sons')
  await person.click(screen.getByRole('tab', { name: 'Communications' }))
  expect(await screen.findByRole('heading', { level: 2, name: 'This page could not be loaded' })).toBeInTheDocument()
  await person.click(screen.getByRole('tab', { name: 'Organization' }))
  expect(screen.getByLabelText(/^Business name/)).toHaveValue('Acme Plumbing & Sons')
})
