import { screen } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import { buildSettings, buildNoAddresses } from '@/testing/settings'

beforeAll(() => Promise.all([import('../settings.route'), import('./pages')]))

it('last activity: shown in the business’s time zone', async () => {
  const user = buildUser({ role: 'office' })
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `/api/org/${user.orgId}/settings`, { body: buildSettings() })
  server.on('GET', '/api/webhooks/status', { body: { twilio: buildNoAddresses, stripe: buildNoAddresses } })
  const detail = 'it runs, and nothing is late; last work done 2026-11-30T16:19:48Z'
  server.on('GET', '/api/system/status', {
    body: [
      {
        tool: 'jobTracker',
        name: 'Quote & Job Tracker',
        status: 'operational',
        detail,
        lastSuccessAt: null,
        checks: [],
      },
    ],
  })
  renderApp('/app/settings/system-status')
  expect(
    await screen.findByText('it runs, and nothing is late; last work done Nov 30, 2026, 10:19 AM'),
  ).toBeInTheDocument()
})
