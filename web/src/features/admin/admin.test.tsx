import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadAdmin } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const saved: string[] = []
vi.mock('@/lib/download', async (original) => ({
  ...(await original<typeof import('@/lib/download')>()),
  saveFile: (_file: Blob, name: string) => void saved.push(name),
}))

const status: Schema['SecurityStatus'] = {
  securityScore: 72,
  twoFactorEnabled: false,
  accountLocked: false,
  sessionSecure: true,
  recommendations: ['Turn on two-factor authentication for your account.'],
}

const control = (name: string, ok: boolean): Schema['SecurityControl'] => ({
  name,
  ok,
  detail: ok ? 'on' : 'off',
  advice: ok ? null : 'Put it in place.',
  link: ok ? null : '/app/account',
})

const report: Schema['SecurityReport'] = {
  security_measures: {
    authentication: [control('Two-factor authentication on your account', false), control('Password age', true)],
    data_protection: [control('Encrypted connection (HTTPS)', true)],
    infrastructure: [control('Worker alive', true)],
    monitoring: [control('Audit log unbroken', true)],
  },
}

const alert: Schema['SecurityAlert'] = {
  alertId: 'stop_rate',
  name: 'Many people say STOP',
  description: 'When 5 or more say STOP.',
  enabled: true,
  lastFiredAt: null,
}

const event = (seq: number, action: string): Schema['AuditEvent'] => ({
  id: buildId(),
  seq,
  at: '2026-11-20T15:04:05.000Z',
  actorKind: 'account',
  actorId: buildId(),
  actorName: 'Olivia Owner',
  actorEmail: 'olivia@acme.test',
  action,
  subjectId: null,
  ip: '192.0.2.7',
  userAgent: 'Firefox',
  requestId: null,
  keyName: null,
})

const client: Schema['Client'] = {
  id: buildId(),
  email: 'sam@acme.test',
  name: 'Sam',
  role: 'office',
  orgName: 'Acme Plumbing',
  createdAt: '2026-01-02T15:00:00.000Z',
  isActive: false,
  twoFactorEnabled: true,
  lastSeenAt: null,
  orgId: buildId(),
  trustLevel: 'address_proven',
  isLetThrough: false,
}

beforeAll(loadAdmin)

beforeEach(() => {
  saved.length = 0
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/security/status', { body: status })
  server.on('GET', '/api/security/report', { body: report })
  server.on('GET', '/api/security/alerts', { body: [alert] })
})

afterEach(() => void vi.restoreAllMocks())

it('shows score, facts, improvements, and each control with its state', async () => {
  renderApp('/app/admin')
  expect(await screen.findByText('72')).toBeInTheDocument()
  for (const words of [
    '2FA enabled: no',
    'Account locked: no',
    'Session secure: yes',
    'Turn on two-factor authentication for your account.',
  ]) {
    expect(screen.getByText(words)).toBeInTheDocument()
  }
  const group = within(await screen.findByRole('region', { name: 'Authentication' }))
  expect(group.getByText('Password age').parentElement).toHaveTextContent('in place')
  expect(group.getByText('Two-factor authentication on your account').parentElement).toHaveTextContent('not in place')
  expect(group.getByRole('link', { name: 'Go there' })).toHaveAttribute('href', '/app/account')
  expect(screen.getByRole('link', { name: 'Back to Dashboard' })).toHaveAttribute('href', '/')
})

it('status or report unavailable: says so', async () => {
  server.on('GET', '/api/security/status', buildProblemResponse(buildProblem(503, 'unavailable')))
  server.on('GET', '/api/security/report', buildProblemResponse(buildProblem(503, 'unavailable')))
  renderApp('/app/admin')
  expect(await screen.findByText('Security status unavailable')).toBeInTheDocument()
  expect(await screen.findByText('Security report unavailable')).toBeInTheDocument()
})

it('compliance report: made for the entered name, refused for an empty one', async () => {
  server.on('GET', '/api/security/compliance/Acme%20Plumbing', {
    body: '# Report',
    headers: { 'Content-Disposition': 'attachment; filename="security-compliance-Acme-Plumbing-2026-11-22.md"' },
  })
  const { user: person } = renderApp('/app/admin')
  const name = await screen.findByLabelText('Organization Name')
  expect(name).toHaveValue('Toolbox AI')
  await person.clear(name)
  expect(screen.getByRole('button', { name: 'Download Report' })).toBeDisabled()
  await person.type(name, 'Acme Plumbing')
  await person.click(screen.getByRole('button', { name: 'Download Report' }))
  expect(await screen.findByText('Security compliance report has been downloaded.')).toBeInTheDocument()
  expect(saved).toEqual(['security-compliance-Acme-Plumbing-2026-11-22.md'])
  server.on('GET', '/api/security/compliance/Acme%20Plumbing', buildProblemResponse(buildProblem(503, 'unavailable')))
  await person.click(screen.getByRole('button', { name: 'Download Report' }))
  expect(await screen.findByText('Failed to generate compliance report.')).toBeInTheDocument()
})

it('alert switch: toggles, and reports a failure', async () => {
  server.on('PATCH', '/api/security/alerts/stop_rate', { body: { ...alert, enabled: false } })
  const { user: person } = renderApp('/app/admin')
  const toggle = await screen.findByRole('switch', { name: /Many people say STOP/ })
  expect(toggle).toBeChecked()
  server.on('GET', '/api/security/alerts', { body: [{ ...alert, enabled: false }] })
  await person.click(toggle)
  expect(await screen.findByText('Security alert configuration saved.')).toBeInTheDocument()
  await waitFor(() => expect(toggle).not.toBeChecked())
  server.on('PATCH', '/api/security/alerts/stop_rate', buildProblemResponse(buildProblem(503, 'unavailable')))
  await person.click(toggle)
  expect(await screen.findByText('Failed to update alert configuration.')).toBeInTheDocument()
  await waitFor(() => expect(toggle).not.toBeChecked())
})

it('audit log: shows its total, filters by action, and reports verification', async () => {
  const asked: string[] = []
  server.on('GET', '/api/security/audit-log', (_request, url) => {
    asked.push(url.search)
    return { body: { total: 2, error: null, events: [event(2, 'signed_in'), event(1, 'lead_submitted')] } }
  })
  const verdict: Schema['AuditVerdict'] = {
    ok: true,
    checked: 2,
    anchors: 1,
    fault: null,
    detail: 'All 2 lines are as they were written.',
    checkedAt: '2026-11-20T15:04:05.000Z',
  }
  server.on('POST', '/api/security/audit-log/verify', { body: verdict })
  const { user: person } = renderApp('/app/admin')
  const consoleInfo = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  await person.click(await screen.findByRole('button', { name: 'View Audit Log' }))
  expect(await screen.findByText('2 security events in the log.')).toBeInTheDocument()
  expect(consoleInfo).toHaveBeenCalledExactlyOnceWith(
    'Security audit log',
    expect.objectContaining({
      total: 2,
      events: expect.arrayContaining([expect.objectContaining({ action: 'lead_submitted' })]),
    }),
  )
  await person.click(await screen.findByRole('button', { name: 'Show only: Signed in' }))
  await waitFor(() => expect(asked.at(-1)).toContain('action=signed_in'))
  await person.click(screen.getByRole('button', { name: 'Check for tampering' }))
  expect(await screen.findByText('No one has altered the log')).toBeInTheDocument()
  server.on('POST', '/api/security/audit-log/verify', {
    body: { ...verdict, ok: false, detail: 'Line 2 was changed.' },
  })
  await person.click(screen.getByRole('button', { name: 'Check for tampering' }))
  expect(await screen.findByText('The log was altered')).toBeInTheDocument()
  expect(screen.getByText(/Line 2 was changed\./)).toBeInTheDocument()
})

it('audit log without permission: shows a failure', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser({ role: 'office' }) })
  server.on('GET', '/api/security/audit-log', buildProblemResponse(buildProblem(403, 'forbidden')))
  const { user: person } = renderApp('/app/admin')
  await person.click(await screen.findByRole('button', { name: 'View Audit Log' }))
  expect(await screen.findByText('Failed to load security audit log.')).toBeInTheDocument()
  expect(screen.queryByText('Compliance Report')).not.toBeInTheDocument()
  expect(screen.queryByText('Security Alerts')).not.toBeInTheDocument()
})

it('client list: shows who can sign in', async () => {
  server.on('GET', '/api/admin/clients', { body: [client], headers: { 'X-Total-Count': '1' } })
  const { user: person } = renderApp('/app/admin')
  await person.click(await screen.findByRole('tab', { name: 'Client Management' }))
  expect(await screen.findByText('1 client')).toBeInTheDocument()
  expect(screen.getByText('Inactive')).toBeInTheDocument()
  expect(screen.getByText(/Registered Jan 2, 2026/)).toBeInTheDocument()
  expect(screen.getByText(/Passwords are hashed with/)).toBeInTheDocument()
  const reset = screen.getByRole('button', { name: 'Reset Password: sam@acme.test' })
  expect(reset).toBeDisabled()
  expect(reset).toHaveAccessibleDescription(/^Activate them first/)
  expect(screen.getByText(/^Activate them first/)).toBeVisible()
})

it('password reset: explains its effect, then emails a link', async () => {
  const active = { ...client, isActive: true }
  server.on('GET', '/api/admin/clients', { body: [active], headers: { 'X-Total-Count': '1' } })
  server.on('POST', `/api/admin/clients/${client.id}/reset-password`, { status: 202, body: { status: 'sent' } })
  const { user: person } = renderApp('/app/admin?tab=clients')
  await person.click(await screen.findByRole('button', { name: 'Reset Password: sam@acme.test' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Reset Password' }))
  expect(dialog.getByText(/sam@acme\.test is signed out everywhere/)).toBeInTheDocument()
  await person.click(dialog.getByRole('button', { name: 'Send the link' }))
  expect(await screen.findByText('Reset Link Sent')).toBeInTheDocument()
})

it('client list empty: says so', async () => {
  server.on('GET', '/api/admin/clients', { body: [], headers: { 'X-Total-Count': '0' } })
  renderApp('/app/admin?tab=clients')
  expect(await screen.findByText('No clients registered yet')).toBeInTheDocument()
})

it('unpaid allowance: set and undone by the operator, hidden from owners', async () => {
  let isLet = false
  const owner = { ...client, role: 'owner' as const, isActive: true }
  server.on('GET', '/api/admin/clients', () => ({
    body: [{ ...owner, isLetThrough: isLet }],
    headers: { 'X-Total-Count': '1' },
  }))
  server.on('PUT', `/api/admin/businesses/${owner.orgId}/let-through`, () => {
    isLet = true
    return { status: 204 }
  })
  server.on('DELETE', `/api/admin/businesses/${owner.orgId}/let-through`, () => {
    isLet = false
    return { status: 204 }
  })
  server.on('GET', '/api/auth/me', { body: buildUser({ isPlatformAdmin: true }) })
  const { user: person } = renderApp('/app/admin?tab=clients')
  await person.click(await screen.findByRole('button', { name: `Allow without payment: ${owner.orgName}` }))
  expect(await screen.findByText('Allowed without payment', { selector: 'span' })).toBeInTheDocument()
  await person.click(await screen.findByRole('button', { name: `Undo allowed without payment: ${owner.orgName}` }))
  expect(await screen.findByText('Address confirmed')).toBeInTheDocument()
})
