import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import {
  buildAlert,
  buildAttribution,
  buildConversation,
  buildDecision,
  buildId,
  buildLeadDetail,
  buildMessage,
  buildProblem,
  buildUser,
} from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildJob } from '@/testing/job-builders'
import { loadLeadScreens } from '@/testing/load-screens'
import { openQuickActions, openTab } from '@/testing/open-lead'
import { buildEstimate, buildMoney, buildWorkEvent } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const id = '3f2a9c1e-0000-4000-8000-000000000001'

function answerLead(parts: Partial<Schema['LeadDetail']>) {
  server.on('GET', `/api/leads/${id}`, { body: buildLeadDetail({ id, ...parts }) })
}

async function card(title: string) {
  const section = (await screen.findByRole('heading', { name: title })).closest('section')
  if (!section) throw new Error(`${title} is no card`)
  return within(section)
}

const posts = () => server.requests.filter(({ method }) => method === 'POST').map(({ url }) => new URL(url).pathname)

beforeAll(loadLeadScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', `/api/leads/${id}/estimates`, { body: [] })
  server.on('GET', `/api/leads/${id}/money`, { body: buildMoney() })
  server.on('GET', '/api/jobs', { body: [] })
})

describe('lead page', () => {
  it('shows a spinner while loading', async () => {
    server.on('GET', `/api/leads/${id}`, () => new Promise(() => undefined))
    renderApp(`/app/leads/${id}`)
    expect(await screen.findByRole('status', { name: 'Loading' })).toBeInTheDocument()
  })

  it.each([
    [404, 'not_found'],
    [422, 'validation_failed'],
  ] as const)('not found on status %i', async (status, code) => {
    server.on('GET', '/api/leads/nope', buildProblemResponse(buildProblem(status, code)))
    renderApp('/app/leads/nope')
    expect(await screen.findByRole('heading', { name: 'Lead Not Found' })).toBeInTheDocument()
    expect(screen.getByText("The lead you're looking for doesn't exist.")).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Back to Leads' })).toHaveAttribute('href', '/app/leads')
  })

  it('opens by the older address, with name, number and stage', async () => {
    answerLead({ name: 'Ana Arroyo', stage: 'Quoted' })
    const { user: person } = renderApp(`/lead/${id}`)
    expect(await screen.findByRole('heading', { level: 1, name: 'Ana Arroyo' })).toBeInTheDocument()
    expect(screen.getByText('Lead #3f2a9c1e')).toBeInTheDocument()
    expect(screen.getByText('Quoted')).toBeInTheDocument()
    const items = (await openQuickActions(person)).getAllByRole('listitem')
    expect(items.map(({ textContent }) => textContent)).toEqual([
      'Generate Estimate PDF',
      'Send ReminderNothing waits for them: no open estimate, visit or invoice.',
      'Mark as PaidNothing is agreed or billed yet.',
      "Request ReviewThe work isn't done yet.",
    ])
  })

  it('erased customer: says so, with nothing to do and nothing to write', async () => {
    const erasure = { dueAt: null, hasBegun: true, isBlocked: false, erasedAt: '2026-11-23T15:04:05.000Z' }
    answerLead({ name: 'Erased', stage: 'Done', erasure })
    renderApp(`/app/leads/${id}`)
    expect(await screen.findByText(/^Erased on/u)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'More for this lead' })).not.toBeInTheDocument()
  })

  it('shows the text costs once a text was sent', async () => {
    answerLead({ texts: { segments: 3, cost: 0.0339, isEstimate: true, shown: '3 segments, about $0.03' } })
    renderApp(`/app/leads/${id}`)
    expect((await card('Lead Information')).getByText('3 segments, about $0.03')).toBeInTheDocument()
  })

  it('marks unknown fields', async () => {
    answerLead({ email: null, zip: '', notes: null })
    const { user: person } = renderApp(`/app/leads/${id}`)
    const contact = await card('Contact Information')
    expect(contact.getByText('None in use')).toBeInTheDocument()
    expect(contact.getByText('Not provided')).toBeInTheDocument()
    expect((await card('Project Details')).getByText('Not provided')).toBeInTheDocument()
    expect((await card('Lead Information')).getByText('Unassigned')).toBeInTheDocument()
    await openTab(person, 'Jobs')
    const progress = await card('Job Progress')
    expect(progress.getByText('Not quoted')).toBeInTheDocument()
    expect(progress.getByText('Not scheduled')).toBeInTheDocument()
    const steps = within(progress.getByRole('list', { name: 'Timeline' }))
      .getAllByRole('listitem')
      .map((step) => step.textContent)
    expect(steps).toEqual([
      expect.stringMatching(/^Lead CreatedNov 20/),
      'Estimate SentPending',
      'Job ScheduledPending',
    ])
  })

  it('shows money, dates and attribution', async () => {
    answerLead({
      stage: 'Paid',
      quotedTotal: 1250.5,
      collectedAmount: 1200,
      scheduledAt: '2026-11-24T15:00:00.000Z',
      paidAt: '2026-11-25T15:00:00.000Z',
      ownerUserId: buildId(),
      ownerName: 'Otto',
      attribution: buildAttribution({ utmSource: 'google', utmMedium: 'cpc' }),
    })
    const { user: person } = renderApp(`/app/leads/${id}?tab=jobs`)
    const progress = await card('Job Progress')
    expect(progress.getByText('$1,250.50')).toBeInTheDocument()
    expect(progress.getAllByText(/Nov 24, 2026/)).toHaveLength(2)
    await openTab(person, 'Details')
    const information = await card('Lead Information')
    expect(information.getByText('$1,200')).toBeInTheDocument()
    expect(information.getByText(/Nov 25, 2026/)).toBeInTheDocument()
    expect(information.getByText(/^Otto/)).toBeInTheDocument()
    expect(information.getByText('google / cpc')).toBeInTheDocument()
  })

  it('derives estimate and scheduling times from the history', async () => {
    answerLead({
      stage: 'Scheduled',
      quotedTotal: 1250,
      scheduledAt: '2026-11-24T15:00:00.000Z',
      events: [
        buildWorkEvent(),
        buildWorkEvent({ kind: 'job_scheduled', title: 'Job scheduled', at: '2026-11-21T16:00:00.000Z', detail: {} }),
      ],
    })
    server.on('GET', `/api/leads/${id}/estimates`, {
      body: [
        buildEstimate({ version: 2, sentAt: '2026-11-22T16:00:05.000Z' }),
        buildEstimate({ sentAt: '2026-11-20T16:00:05.000Z' }),
      ],
    })
    renderApp(`/app/leads/${id}?tab=jobs`)
    const timeline = within((await card('Job Progress')).getByRole('list', { name: 'Timeline' }))
    await waitFor(() => {
      const steps = timeline.getAllByRole('listitem').map((step) => step.textContent)
      expect(steps).toEqual([
        expect.stringMatching(/^Lead CreatedNov 20/),
        expect.stringMatching(/^Estimate SentNov 20, 2026, 10:00/),
        expect.stringMatching(/^Job ScheduledNov 21/),
      ])
    })
  })

  it('lists the history newest first, with who, when and how', async () => {
    answerLead({
      events: [
        buildWorkEvent({
          detail: {
            number: 'EST-1001',
            total: 1250,
            channels: ['email'],
            notSent: [{ channel: 'sms', reason: 'SMS is not set up' }],
          },
        }),
        buildWorkEvent({
          kind: 'payment_recorded',
          title: 'Payment recorded',
          at: '2026-11-21T16:00:00.000Z',
          detail: { amount: 350, method: 'check' },
          undone: true,
        }),
      ],
    })
    renderApp(`/app/leads/${id}?tab=history`)
    const [payment, sent] = (await card('What happened')).getAllByRole('listitem')
    expect(payment).toHaveTextContent(/^Payment recorded \(undone\)\$350, checkOlivia Owner, Nov 21, 2026/)
    expect(sent).toHaveTextContent(
      /^Estimate sentEST-1001, \$1,250, by email, no text: SMS is not set upOlivia Owner, Nov 20, 2026/,
    )
  })

  it('links to its jobs', async () => {
    const job = buildJob({ leadId: id, number: 1007, service: 'roofing' })
    server.on('GET', '/api/jobs', (_request, url) => ({ body: url.searchParams.get('leadId') === id ? [job] : [] }))
    answerLead({})
    renderApp(`/app/leads/${id}?tab=jobs`)
    expect(await screen.findByRole('link', { name: 'Roofing #1007' })).toHaveAttribute('href', `/app/jobs/${job.id}`)
  })

  it('jobs not loaded: says so', async () => {
    server.on('GET', '/api/jobs', buildProblemResponse(buildProblem(500, 'internal')))
    answerLead({})
    renderApp(`/app/leads/${id}?tab=jobs`)
    expect(await (await card('Jobs')).findByText('Jobs could not be loaded')).toBeInTheDocument()
  })

  it('offline: estimate and payment are disabled with a reason', async () => {
    answerLead({})
    const { user: person } = renderApp(`/app/leads/${id}`)
    const quick = await openQuickActions(person)
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    act(() => void globalThis.dispatchEvent(new Event('offline')))
    expect(quick.getByText('You are offline. Estimates and payments need a connection.')).toBeInTheDocument()
    for (const item of quick.getAllByRole('listitem')) expect(within(item).getByRole('button')).toBeDisabled()
  })

  it('opens a photo in full size', async () => {
    const photo = (name: string) => ({
      id: buildId(),
      url: `/full/${name}`,
      thumbUrl: `/thumb/${name}`,
      width: 800,
      height: 600,
      bytes: 2048,
      name,
    })
    answerLead({ photos: [photo('a.jpg'), photo('b.jpg')] })
    const app = renderApp(`/app/leads/${id}`)
    expect(await screen.findByAltText('Photo 1')).toHaveAttribute('src', '/thumb/a.jpg')
    await app.user.click(screen.getByAltText('Photo 2'))
    const dialog = within(screen.getByRole('dialog', { name: 'Photo 2 of 2' }))
    expect(dialog.getByAltText('Photo 2')).toHaveAttribute('src', '/full/b.jpg')
    await app.user.click(dialog.getByRole('button', { name: 'Next' }))
    expect(within(screen.getByRole('dialog', { name: 'Photo 1 of 2' })).getByAltText('Photo 1')).toHaveAttribute(
      'src',
      '/full/a.jpg',
    )
  })

  it('shows the number of photos in preparation', async () => {
    answerLead({ photosWaiting: 2 })
    renderApp(`/app/leads/${id}`)
    expect(await screen.findByText('2 photos are being prepared.')).toBeInTheDocument()
  })

  it('lists each inquiry of the person', async () => {
    const touch = (notes: string, name: string | null = null) => ({
      id: buildId(),
      at: '2026-11-20T15:04:05.000Z',
      form: 'lead' as const,
      name,
      service: 'plumbing',
      notes,
      address: null,
      photoIds: [],
      attribution: buildAttribution(),
    })
    answerLead({ touchCount: 2, touches: [touch('It drips.'), touch('It still drips.', 'Dirty Dan')] })
    renderApp(`/app/leads/${id}?tab=history`)
    const asked = await card('Got in touch 2 times')
    for (const words of ['It still drips.', 'Name typed in this request: Dirty Dan'])
      expect(asked.getByText(words)).toBeInTheDocument()
    expect(asked.getAllByText('Plumbing')).toHaveLength(2)
  })

  it('lists a text without a service: it asks for none', async () => {
    const touch = (form: 'lead' | 'text') => ({
      id: buildId(),
      at: '2026-11-20T15:04:05.000Z',
      form,
      name: null,
      service: 'other',
      notes: null,
      address: null,
      photoIds: [],
      attribution: buildAttribution(),
    })
    answerLead({ touchCount: 2, touches: [touch('lead'), touch('text')] })
    renderApp(`/app/leads/${id}?tab=history`)
    const listed = await card('Got in touch 2 times')
    expect(listed.getAllByText('Other')).toHaveLength(1)
  })
})

describe('messages of a lead', () => {
  const notice = (parts: Partial<Schema['Message']>) =>
    buildMessage({ kind: 'owner_notice', to: 'owner@acme.test', customerId: null, ...parts })

  it('staff notices show recipient, text and state; customer messages are in the conversation', async () => {
    answerLead({
      messages: [
        buildMessage({ customerId: buildId(), body: 'Thank you, customer!' }),
        notice({ status: 'filed', statusText: 'saved as a file: email is not set up', body: 'New lead: Ana' }),
        notice({ channel: 'sms', to: '+13125550142', status: 'not_sent', statusText: 'not sent: SMS is not set up' }),
      ],
    })
    renderApp(`/app/leads/${id}?tab=history`)
    const [byEmail, bySms, ...more] = (await card('Notices to your people')).getAllByRole('listitem')
    expect(byEmail).toHaveTextContent(
      /Notice to you by email.*owner@acme\.test.*saved as a file: email is not set up.*New lead: Ana/s,
    )
    expect(bySms).toHaveTextContent(/Notice to you by SMS.*\(312\) 555-0142.*not sent: SMS is not set up/s)
    expect(more).toEqual([])
    expect(screen.queryByText('Thank you, customer!')).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Send again' })).not.toBeInTheDocument()
  })

  it('no staff notice: no card', async () => {
    answerLead({ messages: [buildMessage({ customerId: buildId() })] })
    renderApp(`/app/leads/${id}?tab=history`)
    await card('Why was this sent, why not?')
    expect(screen.queryByRole('heading', { name: 'Notices to your people' })).not.toBeInTheDocument()
  })

  it('are resent on demand', async () => {
    const message = notice({ status: 'failed', statusText: 'failed: mailbox full', retryable: true })
    answerLead({ messages: [message] })
    server.on('POST', `/api/messages/${message.id}/retry`, () => {
      answerLead({ messages: [{ ...message, status: 'queued', statusText: 'waiting to be sent', retryable: false }] })
      return { status: 202, body: { ...message, status: 'queued' } }
    })
    const app = renderApp(`/app/leads/${id}?tab=history`)
    await app.user.click(await screen.findByRole('button', { name: 'Send again' }))
    expect(await screen.findByText('waiting to be sent')).toBeInTheDocument()
    expect(screen.getByText('Sending again')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Send again' })).not.toBeInTheDocument()
  })

  it('uncertain deliveries are resent only after a warning', async () => {
    const message = notice({ status: 'unknown', statusText: 'unknown: the connection broke off', retryable: true })
    answerLead({ messages: [message] })
    server.on('POST', `/api/messages/${message.id}/retry`, { status: 202, body: message })
    const app = renderApp(`/app/leads/${id}?tab=history`)
    await app.user.click(await screen.findByRole('button', { name: 'Send again' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Send it again?' }))
    expect(dialog.getByText(/it may arrive twice/)).not.toHaveTextContent('customer')
    await app.user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(posts()).toEqual([])
    await app.user.click(screen.getByRole('button', { name: 'Send again' }))
    await app.user.click(screen.getByRole('button', { name: 'Send it again' }))
    expect(await screen.findByText('Sending again')).toBeInTheDocument()
    expect(posts()).toEqual([`/api/messages/${message.id}/retry`])
  })

  it('show why they were sent or not', async () => {
    const message = buildMessage({ status: 'filed', statusText: 'saved as a file' })
    answerLead({
      messages: [message],
      decisions: [
        buildDecision({ channel: 'sms', sent: false, reason: 'no_consent' }, { smsConsent: false, phoneE164: null }),
        buildDecision({ messageId: message.id, reason: 'A new lead with an email address' }),
      ],
    })
    renderApp(`/app/leads/${id}?tab=history`)
    const [not, sent] = (await card('Why was this sent, why not?')).getAllByRole('listitem')
    expect(not).toHaveTextContent(/SMS: not sentNo consentRule: Lead created.*Agreed to textsno.*nothing/)
    expect(sent).toHaveTextContent(/Email: saved as a fileA new lead with an email address/)
  })

  it('name the missing number where no text was sent', async () => {
    server.on('GET', '/api/sending-number', {
      body: {
        isSetUp: true,
        why: 'your business has no number to send texts from',
        others: [],
        sharesService: false,
        unsentTexts: 0,
      },
    })
    answerLead({ messages: [buildMessage()], decisions: [] })
    renderApp(`/app/leads/${id}?tab=history`)
    const reasons = await card('Why was this sent, why not?')
    expect(await reasons.findByText(/^An email was sent. No text was sent: your business has no/)).toBeInTheDocument()
    expect(reasons.getByRole('link', { name: 'Set up a number' })).toBeInTheDocument()
  })
})

describe('alerts of an open lead', () => {
  const seen = () => posts().filter((path) => path.endsWith('/seen'))
  const open = async (alerts: Schema['Alert'][]) => {
    server.on('GET', '/api/alerts', { body: alerts })
    server.on('POST', /^\/api\/alerts\/.*\/seen$/, {
      body: buildAlert({ leadId: id, seenAt: new Date().toISOString() }),
    })
    answerLead({})
    const app = renderApp(`/app/leads/${id}`)
    await screen.findByRole('heading', { level: 1 })
    return app
  }
  const inAMinute = () => new Date(Date.now() + 60_000).toISOString()

  it('are marked seen when the lead is opened after them', async () => {
    const alert = buildAlert({ leadId: id })
    await open([alert, buildAlert()])
    await waitFor(() => expect(seen()).toEqual([`/api/alerts/${alert.id}/seen`]))
  })

  it('arriving later: wait for user activity', async () => {
    const alert = buildAlert({ leadId: id, createdAt: inAMinute() })
    const app = await open([alert])
    await waitFor(() => expect(server.requests.some(({ url }) => url.endsWith('/api/alerts'))).toBe(true))
    globalThis.dispatchEvent(new PointerEvent('pointermove'))
    expect(seen()).toEqual([])
    await app.user.keyboard('{ArrowDown}')
    await waitFor(() => expect(seen()).toEqual([`/api/alerts/${alert.id}/seen`]))
    await app.user.keyboard('{ArrowDown}')
    expect(seen()).toHaveLength(1)
  })
})

describe('visit that waits for its confirmation', () => {
  const visitIn = (minutes: number, state: Schema['HeldVisitState']) => ({
    startsAt: '2027-03-02T16:00:00.000Z',
    expiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
    state,
  })

  it.each([
    [10, 'held', /^Held until .*, waiting for their confirmation\.$/],
    [-1, 'held', 'They did not confirm in time: call or text them.'],
    [-1, 'free', 'They did not confirm in time. The time is free again: call or text them.'],
    [-1, 'taken', 'They did not confirm in time. The time is taken by now: call or text them.'],
    [-1, 'past', 'The time has passed. Nothing is booked.'],
    [-1, 'with_office', /^They confirmed by email\. Not booked: .* Please answer\.$/],
    [-1, 'denied', 'They wrote: that was not me. Nothing is booked, and the time is free again.'],
    [-1, 'limit_reached', "Not held: today's limit of unconfirmed bookings is used up. Please answer."],
    [-1, 'network_limit', 'Not held: too many unconfirmed bookings from one network today. Please answer.'],
  ] as const)('its time, which ends in %i minutes, is %s: says so', async (minutes, state, words) => {
    answerLead({ heldVisit: visitIn(minutes, state) })
    renderApp(`/app/leads/${id}`)
    expect(await screen.findByText(words)).toBeInTheDocument()
    expect(screen.getByText(/^Asked for a visit: Mar 2, 2027/)).toBeInTheDocument()
  })

  it.each([
    ['ana@home.example', 'call or email them', 'Email'],
    [null, 'call them', 'Messages'],
  ])('they said STOP, with the email %s: %s', async (email, advice, label) => {
    answerLead({ heldVisit: visitIn(-1, 'free'), phone: '(512) 555-0171', email, noText: 'they said STOP' })
    renderApp(`/app/leads/${id}`)
    const words = `They did not confirm in time. The time is free again: ${advice}.`
    expect(await screen.findByText(words)).toBeInTheDocument()
    expect(screen.getByText('No texts: they said STOP.')).toBeInTheDocument()
    const header = within(screen.getByRole('heading', { level: 1 }).closest('header') ?? document.body)
    expect(header.getByRole('link', { name: label })).toBeInTheDocument()
    expect(header.queryByRole('link', { name: 'Text' })).not.toBeInTheDocument()
  })

  it('scheduled since: says nothing', async () => {
    answerLead({ heldVisit: visitIn(-1, 'free'), stage: 'Scheduled' })
    renderApp(`/app/leads/${id}`)
    await screen.findByRole('heading', { level: 1 })
    expect(screen.queryByText(/Asked for a visit/)).not.toBeInTheDocument()
  })
})

describe('held lead', () => {
  it.each([
    [[], 'No automatic reply has gone out.'],
    [[buildMessage({ status: 'filed', customerId: buildId() })], 'No automatic reply has gone out.'],
    [[buildMessage({ kind: 'owner_notice' })], 'No automatic reply has gone out.'],
    [
      [buildMessage({ status: 'sent', customerId: buildId() })],
      'They were answered by email. No automatic text has gone out.',
    ],
    [[buildMessage({ status: 'queued', customerId: buildId() })], 'An automatic email to them waits to be sent.'],
    [
      [buildMessage({ status: 'unknown', customerId: buildId() })],
      "We can't tell if an automatic reply was delivered. Check with the customer before you send it again.",
    ],
    [
      [buildMessage({ customerId: buildId() }), buildMessage({ channel: 'sms', customerId: buildId() })],
      'They were answered by text and by email.',
    ],
  ])('names replies that were sent anyway', async (messages, expectedText) => {
    answerLead({ messages, heldReason: 'more than 100 requests came in within an hour' })
    renderApp(`/app/leads/${id}`)
    expect(
      await screen.findByText(`More than 100 requests came in within an hour. ${expectedText}`),
    ).toBeInTheDocument()
  })

  it('shows the reason, and is released: its replies appear at once', async () => {
    const customerId = buildId()
    const talk = (items: Schema['ConversationItem'][]) =>
      server.on('GET', `/api/customers/${customerId}/conversation`, {
        body: buildConversation({ customer: { id: customerId }, items }),
      })
    talk([])
    answerLead({ customerId, heldReason: 'too many requests from one address' })
    server.on('POST', `/api/leads/${id}/release`, () => {
      answerLead({ customerId, heldReason: null })
      const message = buildMessage({
        channel: 'sms',
        status: 'queued',
        statusText: 'waiting to be sent',
        body: 'We got your request.',
      })
      talk([{ type: 'message', at: message.createdAt, message, photos: [] }])
      return { body: buildLeadDetail({ id }) }
    })
    const app = renderApp(`/app/leads/${id}`)
    expect(await screen.findByText(/Too many requests from one address/)).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Release it' }))
    expect(await screen.findByText('Released')).toBeInTheDocument()
    expect(await screen.findByText('We got your request.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Release it' })).not.toBeInTheDocument()
  })

  it('can be held again within a minute, not later', async () => {
    const released = (secondsAgo: number) => ({
      heldReason: null,
      decisions: [
        {
          ...buildDecision({ channel: 'sms', sent: true }),
          event: 'lead_released',
          at: new Date(Date.now() - secondsAgo * 1000).toISOString(),
        },
      ],
    })
    answerLead(released(20))
    server.on('POST', `/api/leads/${id}/hold`, () => {
      answerLead({ heldReason: 'a person of the business held it again' })
      return { body: buildLeadDetail({ id }) }
    })
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Hold it again' }))
    expect(await screen.findByText(/A person of the business held it again/)).toBeInTheDocument()
    app.unmount()
    answerLead(released(61))
    renderApp(`/app/leads/${id}`)
    expect(await screen.findByRole('heading', { name: 'Project Details' })).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Hold it again' })).not.toBeInTheDocument()
  })
})
