import { screen, within } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import { buildSettings, buildNoAddresses } from '@/testing/settings'

beforeAll(() => Promise.all([import('../settings.route'), import('../developers/developers-page')]))

const address = (parts: Partial<Schema['WebhookAddress']>): Schema['WebhookAddress'] => ({
  name: 'Card payments',
  url: 'https://toolbox.example/webhooks/stripe/1',
  lastReceivedAt: null,
  lastFailedAt: null,
  refused: 0,
  lastRefusedAt: null,
  ...parts,
})

it('lists the addresses of Stripe and Twilio, with received, failed and forged calls', async () => {
  const user = buildUser()
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `/api/org/${user.orgId}/settings`, { body: buildSettings() })
  server.on('GET', `/api/org/${user.orgId}/api-keys`, { body: [] })
  server.on('GET', `/api/org/${user.orgId}/webhooks`, { body: [] })
  const payments = address({
    lastReceivedAt: '2026-11-20T15:04:05.000Z',
    lastFailedAt: '2026-11-19T15:04:05.000Z',
    refused: 2,
    lastRefusedAt: '2026-11-18T15:04:05.000Z',
  })
  const subscriptions = address({ name: 'Subscriptions', url: 'https://toolbox.example/webhooks/stripe' })
  server.on('GET', '/api/webhooks/status', {
    body: {
      twilio: buildNoAddresses,
      stripe: {
        isSetUp: false,
        isReachable: true,
        why: 'There are no keys yet.',
        addresses: [payments, subscriptions],
      },
    },
  })
  renderApp('/app/settings/developers')
  const rows = within(await screen.findByRole('list', { name: 'Addresses for Stripe' })).getAllByRole('listitem')
  expect(rows).toHaveLength(2)
  const [first, second] = rows
  expect(first).toHaveTextContent(
    /Card payments.*seen working, last received Nov 20, 2026.*last failed Nov 19, 2026.*2 calls refused for a wrong signature, last Nov 18, 2026/,
  )
  expect(second).toHaveTextContent(/Subscriptions.*nothing received yet/)
  expect(screen.getByText('There are no keys yet.')).toBeInTheDocument()
  expect(screen.getByRole('list', { name: 'Addresses for Twilio' })).toBeInTheDocument()
})
