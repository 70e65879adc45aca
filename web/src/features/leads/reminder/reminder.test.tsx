import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildConversation, buildLeadDetail, buildProblem, buildText, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { pickQuickAction } from '@/testing/open-lead'
import { renderApp } from '@/testing/render-app'
import type { Reminder } from './queries'

const lead = buildLeadDetail({ name: 'Carla Customer' })
const path = `/api/leads/${lead.id}/reminder`
const words: Reminder = {
  what: 'estimate',
  channel: 'sms',
  to: '(512) 555-0142',
  text: 'Hi Carla, any question about your estimate?',
  why: 'Estimate EST-1001 for $350.00 waits for an answer.',
  cannot: null,
  lastAt: null,
}

let server: FakeServer

beforeAll(async () => {
  await loadLeadScreens()
  await import('./reminder-dialog')
})

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', `/api/leads/${lead.id}`, { body: lead })
  server.on('GET', /^\/api\/leads\/[^/]+\/estimates$/, { body: [] })
  server.on('GET', /^\/api\/leads\/[^/]+\/money$/, buildProblemResponse(buildProblem(503, 'unavailable')))
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', /^\/api\/inbox/, { body: buildConversation() })
  server.on('GET', path, { body: words })
})

async function opened() {
  const app = renderApp(`/app/leads/${lead.id}`)
  await pickQuickAction(app.user, 'Send Reminder')
  return { app, dialog: within(await screen.findByRole('dialog', { name: 'Send Reminder' })) }
}

describe('reminder without a texting number', () => {
  const offer = {
    customerId: 'c0ffee00-0000-4000-8000-000000000001',
    leadId: lead.id,
    smsLink: 'sms:+15125550142?body=Hi%20Carla',
    text: 'Hi Carla',
    sentAt: null,
  }
  const cannot: Reminder = {
    ...words,
    channel: null,
    to: null,
    text: null,
    cannot: 'your business has no number to send texts from, and no email address is known',
  }

  it('is offered for the own phone, and says when it was sent', async () => {
    const noted = `/api/customers/${offer.customerId}/messages`
    const sentAt = '2026-11-20T16:00:00.000Z'
    server.on('GET', path, { body: { ...cannot, ownPhone: offer } })
    server.on('POST', noted, () => {
      server.on('GET', path, { body: { ...cannot, ownPhone: { ...offer, sentAt } } })
      return { status: 201, body: buildText({ status: 'sent', sentAt }) }
    })
    const { app, dialog } = await opened()
    const link = await dialog.findByRole('link', { name: 'Text from my phone' })
    expect(link).toHaveAttribute('href', offer.smsLink)
    link.addEventListener('click', (event) => event.preventDefault())
    await app.user.click(link)
    await app.user.click(await dialog.findByRole('button', { name: 'I sent it' }))
    expect(await dialog.findByText(/^You sent this text from your own phone on Nov 20, 2026/)).toBeInTheDocument()
    expect(dialog.getByRole('link', { name: 'Text it again from my phone' })).toBeInTheDocument()
    const asked = server.requests.find(({ method, url }) => method === 'POST' && url.endsWith(noted))
    expect(await asked?.clone().json()).toEqual({ channel: 'sms', body: 'Hi Carla', byHand: true, leadId: lead.id })
  })
})

describe('Send Reminder', () => {
  it('previews text, recipient and reason, and sends once', async () => {
    server.on('POST', path, {
      status: 202,
      body: { what: 'estimate', channel: 'sms', to: '(512) 555-0142', messageId: 'm1' },
    })
    const { app, dialog } = await opened()
    expect(await dialog.findByText('Hi Carla, any question about your estimate?')).toBeInTheDocument()
    expect(dialog.getByText('By SMS to (512) 555-0142')).toBeInTheDocument()
    expect(dialog.getByText(/EST-1001 for \$350.00/)).toBeInTheDocument()
    await app.user.click(dialog.getByRole('button', { name: 'Send Reminder' }))
    expect(await screen.findByText('Reminder on its way')).toBeInTheDocument()
    expect(screen.getByText('Of the estimate, by SMS to (512) 555-0142.')).toBeInTheDocument()
    const sent = server.requests.filter((request) => request.method === 'POST' && request.url.endsWith('/reminder'))
    expect(sent.map((request) => (request.headers.get('Idempotency-Key') ?? '').length)).toEqual([36])
    expect(screen.queryByRole('dialog', { name: 'Send Reminder' })).not.toBeInTheDocument()
  })

  it('held reminder: not called sent', async () => {
    const outlook = { state: 'held', text: 'held until 8:00 AM: it is night there', until: '2026-11-23T14:00:00.000Z' }
    server.on('POST', path, {
      status: 202,
      body: { what: 'estimate', channel: 'sms', to: '(512) 555-0142', messageId: 'm1', outlook },
    })
    const { app, dialog } = await opened()
    await app.user.click(await dialog.findByRole('button', { name: 'Send Reminder' }))
    expect(await screen.findByText('Reminder not sent yet')).toBeInTheDocument()
    expect(
      screen.getByText('Of the estimate, by SMS to (512) 555-0142. Held until 8:00 AM: it is night there.'),
    ).toBeInTheDocument()
    expect(screen.queryByText('Reminder on its way')).not.toBeInTheDocument()
  })

  it('nothing to remind of: says so', async () => {
    server.on('GET', path, {
      body: { ...words, what: null, channel: null, to: null, text: null, why: 'No estimate waits for an answer.' },
    })
    const { dialog } = await opened()
    expect(await dialog.findByText('Nothing to remind of')).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Send Reminder' })).not.toBeInTheDocument()
  })

  it('not sendable: says why and when the last one went', async () => {
    server.on('GET', path, {
      body: {
        ...words,
        text: null,
        channel: null,
        to: null,
        cannot: 'they said STOP',
        lastAt: '2026-11-20T15:00:00.000Z',
      },
    })
    const { dialog } = await opened()
    expect(await dialog.findByText('It cannot be sent')).toBeInTheDocument()
    expect(dialog.getByText('they said STOP.')).toBeInTheDocument()
    expect(dialog.getByText(/last reminded of it on .*Nov 20/)).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Send Reminder' })).not.toBeInTheDocument()
  })

  it('refused by the server: shows the reason', async () => {
    server.on(
      'POST',
      path,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'No estimate waits for an answer.' })),
    )
    const { app, dialog } = await opened()
    await app.user.click(await dialog.findByRole('button', { name: 'Send Reminder' }))
    expect((await screen.findByText('Reminder not sent')).parentElement).toHaveTextContent(
      'No estimate waits for an answer.',
    )
  })
})
