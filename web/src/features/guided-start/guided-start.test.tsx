import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildLead, buildProblem, buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { clearQueryCache, renderApp } from '@/testing/render-app'
import { buildSettings } from '@/testing/settings'

let server: FakeServer
const user = buildUser({ name: 'Olivia Owner', email: 'olivia@acme.test' })
const ORG = `/api/org/${user.orgId}`
const organization: Schema['Organization'] = {
  id: user.orgId,
  slug: user.orgSlug,
  name: user.orgName,
  industry: 'Contractor',
  phone: null,
  reviewLink: null,
  bookingLink: null,
  timezone: 'America/Chicago',
  smsNumber: null,
  postalAddress: null,
}
const KEYS: readonly Schema['SetupStepKey'][] = [
  'address',
  'business',
  'hours',
  'recipients',
  'answer',
  'number',
  'reviews',
  'crew',
  'cards',
  'first_request',
]

function buildSteps(done: readonly Schema['SetupStepKey'][]): Schema['SetupStep'][] {
  return KEYS.map((key) => ({ key, isDone: done.includes(key), isUrgent: false, isHidden: false }))
}

async function bodyOf(method: string, path: string): Promise<unknown> {
  const found = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return found?.clone().json()
}

const heading = (name: string) => screen.findByRole('heading', { level: 1, name })

beforeAll(() =>
  Promise.all([loadShell(), import('./guided-start.route'), import('@/features/number-setup/number-setup')]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/trust', { body: { level: 'trusted', steps: [], next: null, budgets: [], takesMoney: false } })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/setup', { body: buildSteps(['address', 'hours', 'recipients', 'answer']) })
  server.on('GET', ORG, { body: organization })
  server.on('GET', `${ORG}/settings`, { body: buildSettings() })
  server.on('PATCH', ORG, { body: organization })
  server.on('PATCH', `${ORG}/settings`, { body: buildSettings() })
})

describe('guided start', () => {
  it('opens at the first question without an answer', async () => {
    renderApp('/app/start')
    expect(await heading('What is your business called?')).toHaveFocus()
    expect(screen.getByText('1 of 8')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Back' })).not.toBeInTheDocument()
  })

  it('opens at the test once all is answered', async () => {
    server.on('GET', '/api/setup', { body: buildSteps(KEYS) })
    server.on('GET', '/api/webhooks/status', { body: buildStatus(null, null) })
    renderApp('/app/start')
    expect(await heading('Try it yourself')).toBeInTheDocument()
  })

  it('saves each answer at once, goes on, and back', async () => {
    const app = renderApp('/app/start?step=business')
    await app.user.type(await screen.findByLabelText(/^Phone/), '3125550142')
    await app.user.click(screen.getByRole('radio', { name: 'Roofing' }))
    await app.user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await heading('When are you open?')).toBeInTheDocument()
    expect(await bodyOf('PATCH', ORG)).toMatchObject({ industry: 'Roofing', phone: '3125550142' })
    await app.user.click(screen.getByRole('button', { name: 'Back' }))
    expect(await heading('What is your business called?')).toBeInTheDocument()
  })

  it('can skip a question without saving', async () => {
    const app = renderApp('/app/start?step=business')
    await heading('What is your business called?')
    await app.user.click(screen.getByRole('button', { name: 'Skip for now' }))
    expect(await heading('When are you open?')).toBeInTheDocument()
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('keeps what is typed when the page is loaded again', async () => {
    const app = renderApp('/app/start?step=business')
    await app.user.type(await screen.findByLabelText(/^Phone/), '312555')
    app.unmount()
    clearQueryCache()
    renderApp('/app/start?step=business')
    expect(await screen.findByLabelText(/^Phone/)).toHaveValue('312555')
  })

  it('shows what the server refuses at its field, and stays', async () => {
    server.on(
      'PATCH',
      ORG,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { phone: 'Please enter a phone number' } }),
      ),
    )
    const app = renderApp('/app/start?step=business')
    await app.user.type(await screen.findByLabelText(/^Phone/), 'pizza')
    await app.user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await screen.findByText('Please enter a phone number')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Phone/)).toHaveAccessibleDescription(/Please enter a phone number/)
  })

  it('sets the hours with one tap, and keeps closed dates', async () => {
    const closed = [{ date: '2026-12-25', label: 'Christmas' }]
    const settings = buildSettings()
    server.on('GET', `${ORG}/settings`, { body: { ...settings, hours: { ...settings.hours, closedDates: closed } } })
    const app = renderApp('/app/start?step=hours')
    await app.user.click(await screen.findByRole('button', { name: /^Monday to Saturday/ }))
    expect(await heading('Who hears about new requests?')).toBeInTheDocument()
    expect(await bodyOf('PATCH', `${ORG}/settings`)).toMatchObject({
      hours: { closedDates: closed, week: { sat: [{ opens: '08:00', closes: '18:00' }], sun: [] } },
    })
  })

  it('adds her phone to those who are alerted', async () => {
    const recipients = { emails: [{ id: 'r1', address: user.email }], phones: [] }
    server.on('GET', `${ORG}/settings`, { body: buildSettings({ recipients }) })
    server.on('POST', `${ORG}/recipients`, { status: 201, body: recipients })
    server.on('GET', `${ORG}/templates`, { body: [] })
    const app = renderApp('/app/start?step=recipients')
    expect(await screen.findByRole('list', { name: 'Already on the list' })).toHaveTextContent(user.email)
    expect(screen.queryByLabelText('Your email')).not.toBeInTheDocument()
    await app.user.type(screen.getByLabelText('Your mobile number'), '3125550199')
    await app.user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await heading('What customers read')).toBeInTheDocument()
    expect(await bodyOf('POST', `${ORG}/recipients`)).toEqual({ phone: '3125550199' })
  })

  it('shows the answer with the name of the business in it', async () => {
    const template = {
      kind: 'sms',
      group: 'sms',
      title: 'Text to the customer',
      hasSubject: false,
      wordings: { en: { subject: null, body: '{{ businessName }} got your request.', enabled: true } },
    }
    const shown = { body: 'Acme Plumbing got your request.', faults: [], warnings: [], sample: 'example' }
    server.on('GET', `${ORG}/templates`, { body: [template] })
    server.on('POST', `${ORG}/templates/sms/preview`, { body: shown })
    const settings = buildSettings()
    const withAnswers = (automatedCommunications: boolean) => ({
      body: { ...settings, switches: { ...settings.switches, automatedCommunications } },
    })
    server.on('GET', `${ORG}/settings`, withAnswers(false))
    server.on('PATCH', `${ORG}/settings`, withAnswers(true))
    const app = renderApp('/app/start?step=answer')
    expect(await screen.findByText('Acme Plumbing got your request.')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Change the words' })).toHaveAttribute(
      'href',
      '/app/settings/templates/sms',
    )
    await app.user.click(await screen.findByRole('button', { name: 'Turn them on' }))
    await waitFor(() => expect(screen.queryByText('Automatic answers are off')).not.toBeInTheDocument())
    expect(await bodyOf('PATCH', `${ORG}/settings`)).toEqual({ switches: { automatedCommunications: true } })
  })

  it('has the set-up of the number, which is no form within a form', async () => {
    const { container } = renderApp('/app/start?step=number')
    expect(await screen.findByText('Your texts leave from (512) 555-0100.')).toBeInTheDocument()
    expect(await screen.findByRole('radio', { name: 'Keep your own number' })).toBeInTheDocument()
    expect(container.querySelectorAll('form form')).toHaveLength(0)
    expect(screen.getByRole('button', { name: 'Continue' })).toBeInTheDocument()
  })

  it('makes a crew of the one person who works alone', async () => {
    server.on('POST', '/api/crews', { status: 201, body: {} })
    server.on('GET', `${ORG}/stripe`, { body: buildCards() })
    const app = renderApp('/app/start?step=crew')
    expect(await screen.findByRole('radio', { name: 'Just me' })).toBeChecked()
    await app.user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await heading('Take card payments?')).toBeInTheDocument()
    expect(await bodyOf('POST', '/api/crews')).toEqual({ name: 'Olivia', memberIds: [user.id] })
    expect(await screen.findByRole('button', { name: 'Connect with Stripe' })).toBeInTheDocument()
  })

  it('says what a review link opens, and refuses Yelp', async () => {
    const app = renderApp('/app/start?step=reviews')
    const field = await screen.findByLabelText('Review link')
    await app.user.clear(field)
    await app.user.type(field, 'https://g.page/r/Cabc123/review')
    expect(await screen.findByText('This link opens a review form.')).toBeInTheDocument()
    await app.user.clear(field)
    await app.user.type(field, 'https://www.yelp.com/biz/acme')
    await app.user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await screen.findByText(/^Yelp does not allow/)).toBeInTheDocument()
    expect(server.requests.filter(({ method }) => method === 'PATCH')).toEqual([])
  })

  it('is closed to crews', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
    renderApp('/app/start')
    expect(await screen.findByRole('main')).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'What is your business called?' })).toBeNull())
    expect(server.requests.filter(({ url }) => url.endsWith('/api/setup'))).toEqual([])
  })
})

function buildCards(): Partial<Schema['CardPayments']> {
  return {
    isSetUp: false,
    keyRefusedAt: null,
    connect: { isOffered: true, state: 'none', account: null, requirementsDue: 0, endedAt: null },
  }
}

function buildStatus(calls: string | null, texts: string | null): Schema['WebhookStatus'] {
  const address = (name: string, lastReceivedAt: string | null) => ({
    name,
    url: 'https://toolbox.example',
    lastReceivedAt,
    lastFailedAt: null,
    refused: 0,
    lastRefusedAt: null,
  })
  const provider = { isSetUp: true, isReachable: true, why: null }
  return {
    twilio: { ...provider, addresses: [address('Texts', texts), address('Calls', calls)] },
    stripe: { ...provider, addresses: [] },
  }
}

describe('test at the end', () => {
  const asked = () => server.requests.filter(({ url }) => url.endsWith('/webhooks/status')).length

  it('shows a call and a text as they come, by live events', async () => {
    server.on('GET', '/api/webhooks/status', { body: buildStatus('2026-11-20T15:00:00Z', null) })
    renderApp('/app/start?step=test')
    expect(await screen.findByText('Waiting for your call')).toBeInTheDocument()
    await waitFor(() => expect(asked()).toBe(1))
    server.on('GET', '/api/webhooks/status', { body: buildStatus('2026-11-20T16:00:00Z', null) })
    act(() => FakeEventSource.opened.at(-1)?.open())
    act(() => FakeEventSource.opened.at(-1)?.say('provider_call', { id: user.orgId }))
    expect(await screen.findByText('Your call arrived')).toBeInTheDocument()
    expect(screen.getByText('Waiting for your text')).toBeInTheDocument()
  })

  it.each([
    ['is open: asks nothing by itself', true, 1],
    ['is down: asks every 15 seconds', false, 3],
  ])('stream of live events %s', async (_state, isOpen, times) => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      server.on('GET', '/api/webhooks/status', { body: buildStatus(null, null) })
      renderApp('/app/start?step=test')
      expect(await screen.findByText('Waiting for your call')).toBeInTheDocument()
      await waitFor(() => expect(asked()).toBe(1))
      if (isOpen) act(() => FakeEventSource.opened.at(-1)?.open())
      await act(() => vi.advanceTimersByTimeAsync(31_000))
      expect(asked()).toBe(times)
    } finally {
      vi.useRealTimers()
    }
  })

  it('after a minute without a call: says what to try, and goes on waiting', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      server.on('GET', '/api/webhooks/status', { body: buildStatus(null, null) })
      renderApp('/app/start?step=test')
      const call = (await screen.findByRole('heading', { name: 'Call your number' })).closest('section')
      await act(() => vi.advanceTimersByTimeAsync(61_000))
      expect(within(call ?? document.body).getByText('Nothing arrived yet')).toBeInTheDocument()
      expect(within(call ?? document.body).getByText('Waiting for your call')).toBeInTheDocument()
    } finally {
      vi.useRealTimers()
    }
  })

  it('without a number: the form with its QR code, and the request as it arrives', async () => {
    const none = { why: 'no number', number: null, assignedBy: null, assignedAt: null, others: [], claim: null }
    server.on('GET', '/api/sending-number', { body: none })
    const url = 'https://toolbox.example/lead?org=acme-plumbing'
    server.on('GET', '/api/setup/form', { body: { url, qr: { size: 33, path: 'M4 4h7v1h-7z' } } })
    server.on('GET', `/api/leads/${user.orgId}`, { body: [buildLead({ name: 'Old Lead' })] })
    renderApp('/app/start?step=test')
    expect(await screen.findByRole('img', { name: 'QR code of your form' })).toBeInTheDocument()
    expect(screen.getByText('Waiting for your request')).toBeInTheDocument()
    const lead = buildLead({ name: 'Tess Test' })
    server.on('GET', `/api/leads/${user.orgId}`, { body: [lead] })
    act(() => FakeEventSource.opened.at(-1)?.open())
    act(() => FakeEventSource.opened.at(-1)?.say('lead', { id: lead.id }))
    expect(await screen.findByText('Your request arrived')).toBeInTheDocument()
    expect(screen.getByText('Tess Test')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'See it' })).toHaveAttribute('href', `/app/leads/${lead.id}`)
  })
})
