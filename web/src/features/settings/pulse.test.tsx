import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import { buildSettings, buildNoAddresses } from '@/testing/settings'

const user = buildUser()
const orgPath = `/api/org/${user.orgId}`
let server: FakeServer

const sentTo = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.clone().json()) as unknown) : undefined
}

// The screens load when they are opened; the first test should not wait for all of them.
beforeAll(() =>
  Promise.all([
    import('./settings.route'),
    import('./automation/pages'),
    import('./control-panel/delivery-tests-card'),
  ]),
)

describe('figures report', () => {
  const shown: Schema['PulseShown'] = {
    nextAt: '2026-09-18T12:00:00Z',
    preview: {
      subject: 'Acme: $500.00 collected',
      text: 'MONEY\nCollected: $500.00',
      sms: 'Acme Sep 17: $500.00 in',
      segments: { encoding: 'GSM-7', units: 23, segments: 1, perSegment: 160, left: 137 },
    },
    reports: [
      {
        id: buildId(),
        period: 'daily:2026-09-17',
        dueAt: '2026-09-17T12:00:00Z',
        outcome: 'left_out',
        reason: 'it is a quiet day',
        madeAt: null,
        from: null,
        to: null,
        sentTo: [],
      },
    ],
  }

  beforeEach(() => {
    server = startFakeServer()
    server.on('GET', '/api/auth/me', { body: user })
    server.on('GET', '/api/inbox', { body: [] })
    server.on('GET', `${orgPath}/settings`, { body: buildSettings() })
    server.on('GET', '/api/kpi-pulse', { body: shown })
    server.on('GET', '/api/system/status', { body: [] })
    server.on('GET', '/api/webhooks/status', { body: { twilio: buildNoAddresses, stripe: buildNoAddresses } })
    server.on('GET', '/api/tasks', { body: [], headers: { 'X-Total-Count': '0' } })
  })

  it('saves changed fields, and previews the next and the last report', async () => {
    const saved = buildSettings()
    server.on('PATCH', `${orgPath}/settings`, async (request) => {
      const { pulse } = (await request.json()) as { pulse: object }
      return { body: { ...saved, pulse: { ...saved.pulse, ...pulse } } }
    })
    const { user: person } = renderApp('/app/settings/reports')
    const card = within(await screen.findByRole('form', { name: 'KPI report' }))
    expect(await screen.findByText('Sep 18, 2026, 7:00 AM')).toBeInTheDocument()
    expect(screen.getByText(/left out, because it is a quiet day/)).toBeInTheDocument()
    expect(screen.getByText(/Collected: \$500\.00/)).toBeInTheDocument()
    await person.click(card.getByRole('checkbox', { name: 'Sunday' }))
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ pulse: { quietDays: ['sun'] } }),
    )
    await person.type(card.getByLabelText(/^Quiet until/), '2026-10-01')
    await person.tab()
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ pulse: { quietUntil: '2026-10-01' } }),
    )
    expect(await screen.findByText('Your organization settings have been saved')).toBeInTheDocument()
  })

  it('is sent at once, naming recipients and failures', async () => {
    server.on('POST', '/api/kpi-pulse', {
      status: 202,
      body: {
        id: buildId(),
        sentTo: [{ channel: 'email', to: 'olive@acme.test', messageId: buildId() }],
        notSent: [{ channel: 'sms', to: '+13125550142', reason: 'SMS is not set up' }],
      },
    })
    const { user: person } = renderApp('/app/settings/tests')
    await person.click(await screen.findByRole('button', { name: 'Send KPI Pulse' }))
    expect((await screen.findAllByText('KPI Pulse sent to some')).length).toBeGreaterThan(0)
    expect(screen.queryByText('KPI report has been generated and sent')).not.toBeInTheDocument()
    expect(screen.getByText(/On its way to olive@acme\.test/)).toBeInTheDocument()
    expect(screen.getByText(/Not to \(312\) 555-0142: SMS is not set up/)).toBeInTheDocument()
    expect(await sentTo('POST', '/api/kpi-pulse')).toEqual({ period: 'manual' })
  })

  it('fully sent: called sent', async () => {
    server.on('POST', '/api/kpi-pulse', {
      status: 202,
      body: { id: buildId(), sentTo: [{ channel: 'email', to: 'olive@acme.test', messageId: buildId() }], notSent: [] },
    })
    const { user: person } = renderApp('/app/settings/tests')
    await person.click(await screen.findByRole('button', { name: 'Send KPI Pulse' }))
    expect(await screen.findByText('KPI report has been generated and sent')).toBeInTheDocument()
    expect(screen.queryByText('KPI Pulse sent to some')).not.toBeInTheDocument()
  })

  it('waiting for the worker: not called sent', async () => {
    const outlook = { state: 'waits', text: 'waiting: sending is stopped right now', until: null }
    server.on('POST', '/api/kpi-pulse', {
      status: 202,
      body: {
        id: buildId(),
        sentTo: [{ channel: 'email', to: 'olive@acme.test', messageId: buildId(), outlook }],
        notSent: [],
      },
    })
    const { user: person } = renderApp('/app/settings/tests')
    await person.click(await screen.findByRole('button', { name: 'Send KPI Pulse' }))
    expect((await screen.findAllByText('KPI report not sent yet')).length).toBeGreaterThan(0)
    expect(screen.getByText('To olive@acme.test: waiting: sending is stopped right now')).toBeInTheDocument()
    expect(screen.queryByText('KPI report has been generated and sent')).not.toBeInTheDocument()
  })

  it('not sendable: names what is missing', async () => {
    server.on(
      'POST',
      '/api/kpi-pulse',
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Email is not set up yet, so no email leaves.' })),
    )
    const { user: person } = renderApp('/app/settings/tests')
    await person.click(await screen.findByRole('button', { name: 'Send KPI Pulse' }))
    expect((await screen.findAllByText(/Email is not set up yet/)).length).toBeGreaterThan(0)
  })
})
