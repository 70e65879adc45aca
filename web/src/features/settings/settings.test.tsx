import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import { replaceText } from '@/testing/replace-text'
import { buildSettings, buildNoAddresses } from '@/testing/settings'

const user = buildUser()
const orgPath = `/api/org/${user.orgId}`
let server: FakeServer

const live: Schema['BookingState'] = {
  url: 'https://acme.test/book/acme-plumbing',
  isLive: true,
  whyNot: null,
  outsideLink: null,
  nextFree: '2026-09-18T15:00:00Z',
  far: [{ zip: '90210', asked: 2 }],
}

const organization: Schema['Organization'] = {
  id: user.orgId,
  slug: 'acme-plumbing',
  name: 'Acme Plumbing',
  industry: 'Plumbing',
  phone: '+13125550100',
  reviewLink: null,
  bookingLink: null,
  timezone: 'America/Chicago',
  smsNumber: null,
  postalAddress: null,
}

const sentTo = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.clone().json()) as unknown) : undefined
}

const patches = () => server.requests.filter(({ method }) => method === 'PATCH').map((request) => request.clone())

// The screens load when they are opened; the first test should not wait for all of them.
beforeAll(() =>
  Promise.all([
    import('./settings.route'),
    import('./pages/settings-index'),
    import('./pages/topic-page'),
    import('./organization/business-card'),
    import('./organization/business-hours-card'),
    import('./organization/notifications-card'),
    import('./organization/recipients-card'),
    import('./organization/sending-number-card'),
    import('./organization/lead-owners-card'),
    import('./organization/push-card'),
    import('@/features/people/people-card'),
    import('@/features/jobs/crews/crews-card'),
    import('./documents/invoice-settings-card'),
    import('./organization/booking-card'),
    import('./price-book/price-book-card'),
    import('./automation/pages'),
    import('./control-panel/pages'),
    import('./control-panel/delivery-tests-card'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', orgPath, { body: organization })
  server.on('GET', `${orgPath}/settings`, { body: buildSettings() })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', '/api/alerts/ways', {
    body: {
      toldFrom: '2026-09-15T14:00:00Z',
      ways: [{ by: 'email', to: 'owner@acme.example', from: '2026-09-15T14:00:00Z', why: null }],
    },
  })
  server.on('GET', '/api/crews', { body: [] })
  server.on('GET', '/api/team/invites', { body: [] })
  server.on('GET', '/api/booking', { body: live })
  server.on('GET', '/api/price-items', { body: [] })
  server.on('GET', '/api/system/status', { body: [] })
  server.on('GET', `${orgPath}/review-webhook`, {
    body: {
      isSet: false,
      url: 'https://toolbox.example/api/webhooks/reviews/',
      hint: null,
      createdAt: null,
      lastReceivedAt: null,
    },
  })
  server.on('GET', '/api/sending-number', {
    body: {
      isSetUp: true,
      why: null,
      number: null,
      assignedBy: null,
      assignedAt: null,
      others: [],
      sharesService: false,
      unsentTexts: 0,
      claim: null,
    },
  })
  server.on('GET', `${orgPath}/stripe`, {
    body: {
      connect: { isOffered: false, state: 'none', account: null, requirementsDue: 0, endedAt: null },
      isSetUp: false,
      hint: null,
      isTest: false,
      hasWebhookSecret: false,
      lastEventAt: null,
      webhookUrl: 'https://toolbox.example/webhooks/stripe/1',
    },
  })
})

describe('organization settings', () => {
  it('save each field when it is left, emptied ones removed', async () => {
    server.on('PATCH', orgPath, async (request) => ({
      body: { ...organization, ...((await request.json()) as object) },
    }))
    const { user: person } = renderApp('/app/settings/business')
    const name = await screen.findByLabelText(/^Business name/)
    await replaceText(person, name, 'Acme & Sons')
    await person.tab()
    expect(await screen.findByText('Saved: Acme & Sons')).toBeInTheDocument()
    await person.clear(screen.getByLabelText(/^Phone/))
    await person.tab()
    await waitFor(async () => expect(await sentTo('PATCH', orgPath)).toEqual({ phone: null }))
    expect(await screen.findByText('Your organization settings have been saved')).toBeInTheDocument()
    const bodies = await Promise.all(patches().map(async (request) => (await request.json()) as unknown))
    expect(bodies).toEqual([{ name: 'Acme & Sons' }, { phone: null }])
  })

  it('server error: keeps the input, with the error at its field', async () => {
    server.on(
      'PATCH',
      orgPath,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { phone: 'Please enter a phone number' } }),
      ),
    )
    const { user: person } = renderApp('/app/settings/business')
    const number = await screen.findByLabelText(/^Phone/)
    await replaceText(person, number, '(312) 555-0101')
    await person.tab()
    expect(await screen.findByText('Please enter a phone number')).toBeInTheDocument()
    expect(number).toHaveValue('(312) 555-0101')
    expect(number).toHaveAttribute('aria-invalid', 'true')
  })

  it('load error: shown with a retry', async () => {
    server.on('GET', orgPath, buildProblemResponse(buildProblem(503, 'unavailable')))
    const { user: person } = renderApp('/app/settings/business')
    const failed = await screen.findByRole('heading', { name: 'Not available right now' })
    server.on('GET', orgPath, { body: organization })
    await person.click(within(failed.parentElement ?? document.body).getByRole('button', { name: 'Try again' }))
    expect(await screen.findByDisplayValue('Acme Plumbing')).toBeInTheDocument()
  })
})

describe('online booking', () => {
  it('shows its page, and saves changed areas, services and job defaults', async () => {
    server.on('PATCH', `${orgPath}/settings`, async (request) => {
      const { booking, jobs } = (await request.json()) as {
        booking: Partial<Schema['BookingSettings']>
        jobs: Partial<Schema['JobSettings']>
      }
      return {
        body: buildSettings({
          booking: { ...buildSettings().booking, ...booking },
          jobs: { ...buildSettings().jobs, ...jobs },
        }),
      }
    })
    const { user: person } = renderApp('/app/settings/online-booking')
    const form = within(await screen.findByRole('form', { name: 'Online booking' }))
    expect(await screen.findByText('Your booking page is live')).toBeInTheDocument()
    expect(screen.getByText(/90210 \(2\)/)).toBeInTheDocument()
    await person.type(form.getByLabelText(/^Where you go/), '78701, Austin')
    await person.tab()
    expect(await form.findByText(/^Write ZIP codes of five digits/)).toBeInTheDocument()
    await person.clear(form.getByLabelText(/^Where you go/))
    await person.type(form.getByLabelText(/^Where you go/), '78701 787')
    await person.tab()
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ booking: { zips: ['787', '78701'] } }),
    )
    await person.type(form.getByLabelText(/^What can be booked/), 'Drain cleaning, 60')
    await person.tab()
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({
        booking: { durations: { 'Drain cleaning': 60 } },
      }),
    )
    await person.selectOptions(form.getByLabelText(/^You arrive/), '120')
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ jobs: { arrivalMinutes: 120 } }),
    )
  })

  it('says why booking is not possible', async () => {
    server.on('GET', '/api/booking', {
      body: { ...live, isLive: false, whyNot: 'There is no crew that customers can book yet.', nextFree: null },
    })
    renderApp('/app/settings/online-booking')
    expect(await screen.findByText('There is no crew that customers can book yet.')).toBeInTheDocument()
  })
})

describe('invoice settings', () => {
  it('save changed terms and reminder days', async () => {
    server.on('PATCH', `${orgPath}/settings`, async (request) => {
      const { invoicing } = (await request.json()) as { invoicing: Partial<Schema['InvoiceSettings']> }
      return { body: buildSettings({ invoicing: { ...buildSettings().invoicing, ...invoicing } }) }
    })
    const { user: person } = renderApp('/app/settings/invoices')
    const form = within(await screen.findByRole('form', { name: 'Invoices and payment' }))
    const days = form.getByLabelText(/^On these days/)
    await person.clear(days)
    await person.type(days, '0, soon')
    await person.click(form.getByRole('radio', { name: /^Send its invoice/ }))
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ invoicing: { onCompletion: 'send' } }),
    )
    expect(await form.findByText(/^Whole days from -30 to 120/)).toBeInTheDocument()
    await person.clear(days)
    await person.type(days, '7 0, -3 7')
    await person.tab()
    await waitFor(async () =>
      expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ invoicing: { dunningDays: [-3, 0, 7] } }),
    )
    await waitFor(() => expect(days).toHaveValue('-3, 0, 7'))
  })
})

describe('former addresses', () => {
  it.each([
    ['/app/settings?tab=organization#texting', 'Texting number'],
    ['/app/settings?tab=money', 'Card payments'],
    ['/app/settings?tab=money#papers', 'Estimates'],
    ['/app/settings?tab=developers', 'Developers'],
    ['/app/settings/nowhere', 'Settings and Configuration'],
  ])('%s leads to %s', async (path, heading) => {
    renderApp(path)
    expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeInTheDocument()
  })

  it('a tab opens its group', async () => {
    renderApp('/app/settings?tab=automation')
    expect(await screen.findByRole('tab', { name: 'Automation', selected: true })).toBeInTheDocument()
    const panel = within(screen.getByRole('tabpanel', { name: 'Automation' }))
    expect(await panel.findByRole('link', { name: /^Automations ?4 of 5 on$/ })).toBeInTheDocument()
  })
})

describe('recipient', () => {
  it('is removed, and restored by Undo', async () => {
    const [phone] = buildSettings().recipients.phones
    server.on('DELETE', new RegExp(`^${orgPath}/recipients/`), { body: { emails: [], phones: [] } })
    server.on('POST', `${orgPath}/recipients`, { status: 201, body: { emails: [], phones: [phone] } })
    const { user: person } = renderApp('/app/settings/recipients')
    await person.click(await screen.findByRole('button', { name: 'Remove (312) 555-0142' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove (312) 555-0142' })).not.toBeInTheDocument())
    await person.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByRole('button', { name: 'Remove (312) 555-0142' })).toBeInTheDocument()
    expect(await sentTo('POST', `${orgPath}/recipients`)).toEqual({ phone: '+13125550142' })
  })
})

describe('automation switch', () => {
  const preview = (messages: Schema['PlannedMessage'][]) =>
    server.on('GET', `${orgPath}/preview`, { body: { messages, oldRecords: 3 } })

  it('turns on after its preview', async () => {
    preview([
      {
        at: '2026-11-21T15:00:00.000Z',
        to: '+13125550199',
        toName: 'Carla Customer',
        channel: 'sms',
        kind: 'auto_reply',
        text: 'Hi Carla',
        leadId: null,
        why: 'held while the switch was off',
      },
    ])
    server.on('PATCH', `${orgPath}/settings`, {
      body: buildSettings({ switches: { ...buildSettings().switches, automatedCommunications: true } }),
    })
    const { user: person } = renderApp('/app/settings/automations')
    const replies = await screen.findByRole('switch', { name: /^Automated Communications/ })
    await person.click(replies)
    expect(await screen.findByText('Hi Carla')).toBeInTheDocument()
    expect(screen.getByText(/3 older leads are left alone/)).toBeInTheDocument()
    expect(await sentTo('PATCH', `${orgPath}/settings`)).toBeUndefined()
    await person.click(screen.getByRole('button', { name: 'Turn it on' }))
    await waitFor(() => expect(screen.getByRole('switch', { name: /^Automated Communications/ })).toBeChecked())
    expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ switches: { automatedCommunications: true } })
  })

  it.each([
    [null, /^Job Tracking.*Sends nothing yet/],
    ['2026-11-20T15:04:05.000Z', /^Job Tracking.*Customers are reminded before the visit/],
  ])('job tracking with the last activity %s: as the control panel has it', async (lastSuccessAt, label) => {
    const tracker = { tool: 'jobTracker', name: 'Quote & Job Tracker', status: 'operational', detail: '' } as const
    server.on('GET', '/api/system/status', { body: [{ ...tracker, lastSuccessAt, checks: [] }] })
    renderApp('/app/settings/automations')
    expect(await screen.findByRole('switch', { name: label })).toBeChecked()
  })
})

describe('stopped tasks', () => {
  const stopped = (parts: Partial<Schema['Task']>): Schema['Task'] => ({
    id: buildId(),
    kind: 'send_message',
    status: 'dead',
    attempts: 12,
    runAt: '2026-11-20T15:04:05.000Z',
    createdAt: '2026-11-20T15:04:05.000Z',
    finishedAt: '2026-11-20T16:04:05.000Z',
    lastError: 'the disk is full',
    subjectId: null,
    ...parts,
  })
  const list = (tasks: Schema['Task'][], total = tasks.length) =>
    server.on('GET', '/api/tasks', { body: tasks, headers: { 'X-Total-Count': String(total) } })

  beforeEach(() => {
    const detail = 'Tasks: 2 tasks have stopped permanently in the last 24 hours; see Work that stopped'
    server.on('GET', '/api/system/status', {
      body: [
        {
          tool: 'jobTracker',
          name: 'Quote & Job Tracker',
          status: 'degraded',
          detail,
          lastSuccessAt: null,
          checks: [],
        },
      ],
    })
    server.on('GET', '/api/webhooks/status', { body: { twilio: buildNoAddresses, stripe: buildNoAddresses } })
  })

  it('are counted and named, and retried one by one', async () => {
    const [mail, text] = [stopped({}), stopped({ kind: 'process_inbound_sms', lastError: null })]
    list([mail, text], 3)
    server.on('POST', `/api/tasks/${mail.id}/retry`, () => {
      list([text])
      return { status: 202, body: { ...mail, status: 'ready' } }
    })
    const { user: person } = renderApp('/app/settings/system-status')
    const rows = within(await screen.findByRole('list', { name: 'Work that stopped' }))
    expect(rows.getByText('Sending a message')).toBeInTheDocument()
    expect(rows.getByText('the disk is full')).toBeInTheDocument()
    expect(rows.getAllByText('Stopped Nov 20, 2026, 10:04 AM')).toHaveLength(2)
    expect(screen.getByText('And 1 older.')).toBeInTheDocument()
    await person.click(rows.getByRole('button', { name: 'Try again: Sending a message' }))
    expect(await screen.findByText('Trying again')).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByText('Sending a message')).not.toBeInTheDocument())
    expect(screen.getByText('Taking in a text')).toBeInTheDocument()
  })

  it('are all retried at once, linked from the status', async () => {
    list([stopped({})])
    server.on('POST', '/api/tasks/retry', () => {
      list([])
      return { status: 202, body: { revived: 2 } }
    })
    const { user: person } = renderApp('/app/settings/system-status')
    await screen.findByRole('list', { name: 'Work that stopped' })
    await person.click(await screen.findByRole('button', { name: 'Work that stopped' }))
    expect(document.activeElement).toContainElement(screen.getByRole('heading', { name: 'Work that stopped' }))
    await person.click(screen.getByRole('button', { name: 'Try all again' }))
    expect(await screen.findByText('2 pieces of work are being tried again.')).toBeInTheDocument()
    expect(await screen.findByText('Nothing has stopped.')).toBeInTheDocument()
  })

  it('test text: off with the reason where no text can leave', async () => {
    server.on('GET', '/api/sending-number', {
      body: {
        isSetUp: true,
        why: 'your business has no number to send texts from',
        others: [],
        sharesService: false,
        unsentTexts: 0,
      },
    })
    renderApp('/app/settings/tests')
    expect(await screen.findByText(/^Off: your business has no number to send texts from/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Send Test SMS' })).toBeDisabled()
    expect(screen.getByRole('button', { name: 'Send Test Email' })).toBeEnabled()
  })

  it('are not requested by the office', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    renderApp('/app/settings/system-status')
    expect(await screen.findByText(/see Work that stopped/)).toBeInTheDocument()
    expect(screen.getByText('degraded')).toBeInTheDocument()
    expect(screen.queryByRole('heading', { name: 'Work that stopped' })).not.toBeInTheDocument()
    expect(server.requests.some(({ url }) => url.includes('/api/tasks'))).toBe(false)
  })
})

describe('settings of a crew member', () => {
  it('are not requested', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'crew' } })
    renderApp('/app/settings')
    expect(await screen.findByRole('heading', { name: 'This is for the office' })).toBeInTheDocument()
    expect(await sentTo('GET', orgPath)).toBeUndefined()
  })
})
