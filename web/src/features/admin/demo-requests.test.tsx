import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadAdmin } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const asked: Schema['DemoRequest'] = {
  id: buildId(),
  orgId: null,
  email: 'sam@roofs.test',
  name: 'Sam Slate',
  orgName: 'Slate & Co',
  phone: '+13125550142',
  industry: 'Roofing',
  plan: 'monthly',
  createdAt: '2026-11-20T15:04:05.000Z',
  isPaid: false,
  isWaiting: false,
}
const paid: Schema['DemoRequest'] = {
  ...asked,
  id: buildId(),
  email: 'rita@rofs.test',
  name: 'Rita Roof',
  orgName: 'Roofs & Co',
  plan: 'six_months',
  isPaid: true,
  isWaiting: true,
}
let server: FakeServer

beforeAll(loadAdmin)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser({ isPlatformAdmin: true }) })
  server.on('GET', '/api/inbox', { body: [] })
  for (const path of ['/api/security/status', '/api/security/report'])
    server.on('GET', path, buildProblemResponse(buildProblem(503, 'unavailable')))
  server.on('GET', '/api/security/alerts', { body: [] })
  server.on('GET', '/api/demo-requests', { body: [paid, asked] })
})

it('lists requests and payments; only paid ones without a link can be resent', async () => {
  renderApp('/app/admin')
  const table = within(await screen.findByRole('table', { name: 'Who asked for a demo, the newest first' }))
  expect(
    table.getByRole('row', { name: /^Sam Slate Slate & Co \(312\) 555-0142 sam@roofs\.test Monthly Not paid/ }),
  ).toBeInTheDocument()
  expect(table.getByRole('row', { name: /^Rita Roof Roofs & Co .* Six months Paid/ })).toBeInTheDocument()
  expect(table.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
    'Send Link: Roofs & Co',
    'Invite Slate & Co to register',
  ])
})

it('resends the link to a corrected address', async () => {
  server.on('POST', `/api/demo-requests/${paid.id}/invite`, { status: 202, body: { status: 'sent' } })
  const { user } = renderApp('/app/admin')
  await user.click(await screen.findByRole('button', { name: 'Send Link: Roofs & Co' }))
  const dialog = within(screen.getByRole('dialog', { name: 'Send Link: Roofs & Co' }))
  const field = dialog.getByLabelText(/^Email Address/)
  expect(field).toHaveValue('rita@rofs.test')
  await user.clear(field)
  await user.type(field, 'rita@roofs.test')
  await user.click(dialog.getByRole('button', { name: 'Send the link' }))
  expect(await screen.findByText('Link Sent')).toBeInTheDocument()
  const sent = server.requests.find(({ method }) => method === 'POST')
  expect(await sent?.json()).toEqual({ email: 'rita@roofs.test' })
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

it('invites a requester who has not paid', async () => {
  server.on('POST', '/api/admin/businesses/invite', { status: 202 })
  const { user } = renderApp('/app/admin')
  await user.click(await screen.findByRole('button', { name: 'Invite Slate & Co to register' }))
  expect(await screen.findByText('Invited')).toBeInTheDocument()
  const sent = server.requests.find(({ method }) => method === 'POST')
  expect(await sent?.json()).toEqual({ email: 'sam@roofs.test' })
})

it('requests nothing for anyone but the operator', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser() })
  renderApp('/app/admin')
  expect(await screen.findByText('Security status unavailable')).toBeInTheDocument()
  expect(screen.queryByText('Demo Requests')).not.toBeInTheDocument()
  expect(server.requests.filter(({ url }) => url.includes('/demo-requests'))).toHaveLength(0)
})
