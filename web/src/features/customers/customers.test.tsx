import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { buildPayment } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'
import { buildCustomer, buildPersonalData, buildSummary } from '@/testing/customer-builders'
import type { Customer, PersonalData } from './types'

let server: FakeServer

async function open(parts: Partial<Customer> = {}, data: Partial<PersonalData> = {}) {
  const customer = buildCustomer(parts)
  server.on('GET', `/api/customers/${customer.id}/personal-data`, { body: buildPersonalData(customer, data) })
  server.on('GET', `/api/customers/${customer.id}`, { body: customer })
  const { user } = renderApp(`/app/customers/${customer.id}`)
  await screen.findByRole('heading', { level: 1, name: customer.name })
  return { customer, user }
}

const sent = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeAll(() =>
  Promise.all([
    loadShell(),
    import('./customers.route'),
    import('./customer.route'),
    import('./actions/edit-dialog'),
    import('./actions/property-dialog'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
})

describe('customer list', () => {
  it('shows open, owed and upcoming work, and each row opens its record', async () => {
    const ann = buildSummary({ owed: 250, coming: '2027-03-02T14:00:00.000Z', openLeads: 2 })
    server.on('GET', '/api/customers', { body: [ann], headers: { 'X-Total-Count': '1' } })
    renderApp('/app/customers')
    expect(await screen.findByRole('link', { name: 'Ann Lee' })).toHaveAttribute('href', `/app/customers/${ann.id}`)
    for (const words of ['$250 owed', '2 open', '(512) 555-0142', 'ann@home.test'])
      expect(screen.getByText(words)).toBeInTheDocument()
  })

  it('searches on the server, and offers a way back from an empty result', async () => {
    server.on('GET', '/api/customers', (_request, url) => ({ body: url.searchParams.has('q') ? [] : [buildSummary()] }))
    const { user } = renderApp('/app/customers')
    await user.type(await screen.findByRole('searchbox'), 'bob')
    expect(await screen.findByText('No customers found.')).toBeInTheDocument()
    expect(server.requests.some(({ url }) => new URL(url).searchParams.get('q') === 'bob')).toBe(true)
    await user.click(screen.getByRole('button', { name: 'Show all customers' }))
    expect(await screen.findByRole('link', { name: 'Ann Lee' })).toBeInTheDocument()
  })

  it('empty: explains where customers come from', async () => {
    server.on('GET', '/api/customers', { body: [] })
    renderApp('/app/customers')
    expect(await screen.findByText('No customers yet')).toBeInTheDocument()
  })
})

describe('customer', () => {
  it('shows everything that belongs to them', async () => {
    const ids = { lead: buildId(), job: buildId(), invoice: buildId() }
    await open({
      smsOptOut: {
        state: 'stopped',
        since: '2026-11-20T15:04:05.000Z',
        matched: 'STOP',
        byPerson: false,
        saidElsewhere: false,
      },
      isBlocked: true,
      otherPhones: ['(512) 555-0199'],
      otherSetAside: ['(512) 555-0199'],
      leads: [
        {
          id: ids.lead,
          reference: '1a2b3c4d',
          service: 'Plumbing',
          stage: 'Scheduled',
          source: 'Website',
          createdAt: '2026-11-20T15:04:05.000Z',
          quotedTotal: 350,
        },
      ],
      jobs: [
        {
          id: ids.job,
          number: 1007,
          service: 'plumbing',
          status: 'Scheduled',
          address: '12 Oak St',
          crew: 'North crew',
          startsAt: null,
          completedAt: null,
          value: 350,
        },
      ],
      estimates: [
        {
          id: buildId(),
          leadId: ids.lead,
          number: 'EST-1001',
          version: 1,
          status: 'approved',
          total: 350,
          issuedOn: '2026-11-20',
          approvedAt: '2026-11-20T16:00:00.000Z',
        },
      ],
      money: { quoted: 350, invoiced: 0, paid: 100, owed: 250, notInvoiced: 250 },
      consents: [
        {
          leadId: ids.lead,
          class: 'promotional',
          granted: false,
          wording: 'I also agree',
          version: '2026-11-21',
          at: '2026-11-20T15:04:05.000Z',
          source: null,
          isProvisional: false,
          isSetAside: false,
        },
      ],
      thread: { lastAt: '2026-11-20T15:04:05.000Z', lastPreview: 'See you then', lastKind: 'in', unread: 1 },
    })
    expect(screen.getByRole('link', { name: 'Plumbing' })).toHaveAttribute('href', `/app/leads/${ids.lead}`)
    expect(screen.getByRole('link', { name: 'Plumbing #1007' })).toHaveAttribute('href', `/app/jobs/${ids.job}`)
    for (const words of [
      'Said STOP to texts',
      'Blocked: no rule writes to them',
      'Also (512) 555-0199',
      'Set aside: nothing about their work goes there until you use it.',
      '$250.00',
      'Approved, not yet invoiced',
      'See you then',
      '1 unread',
    ]) {
      expect(screen.getByText(words)).toBeInTheDocument()
    }
    expect(screen.getByText('Review requests and offers: not agreed', { selector: 'span' })).toBeInTheDocument()
  })

  it('shows the state of a pending refund', async () => {
    const refund = buildPayment({ kind: 'refund', number: 'RCP-1003', amount: 100, status: 'failed' })
    await open({ payments: [buildPayment({ number: 'RCP-1001' }), refund] })
    expect(screen.getByText('Refund RCP-1003').closest('li')).toHaveTextContent(/Failed.*-\$100\.00/)
    expect(screen.getByText('Payment RCP-1001').closest('li')).not.toHaveTextContent('Failed')
  })

  it.each([
    ['Use it', 'use', 'Messages to them go there from now on.'],
    ['Dismiss', 'dismiss', 'It is not proposed for them again.'],
  ] as const)('proposed contact details: %s, and Undo', async (button, path, expectedText) => {
    const proposal = {
      id: buildId(),
      leadId: buildId(),
      kind: 'phone' as const,
      value: '+15125550199',
      shown: '(512) 555-0199',
      createdAt: '2026-11-20T15:04:05.000Z',
      answeredAt: null,
      activity: 'nothing' as const,
      typedAt: '2026-11-20T20:10:00.000Z',
      typedName: 'Mallory',
      typedLeadId: buildId(),
      isFirstForm: false,
      belongsTo: null,
      belongsToId: null,
      isUsable: true,
      isInUse: false,
    }
    const { customer, user } = await open({ alsoGave: [proposal] })
    const form = screen.getByRole('link', { name: /^In the form of Nov 20, 2026, 2:10\sPM$/ })
    expect(form).toHaveAttribute('href', `/app/leads/${proposal.typedLeadId}`)
    expect(form.parentElement).toHaveTextContent('as “Mallory”.')
    expect(screen.getByText('Nothing came from it yet.')).toBeInTheDocument()
    server.on('POST', `/api/contact-proposals/${proposal.id}/${path}`, { body: { ...customer, alsoGave: [] } })
    server.on('POST', `/api/contact-proposals/${proposal.id}/undo`, { body: customer })
    server.on('GET', `/api/customers/${customer.id}`, { body: { ...customer, alsoGave: [] } })
    await user.click(screen.getByRole('button', { name: `${button} (512) 555-0199` }))
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('The record is as it was before.')).toBeInTheDocument()
  })

  it.each([
    [true, 'Use it to move it here. If they are one person, merge the two.'],
    [false, 'It is confirmed as theirs. If they are one person, merge the two.'],
  ])('proposal on another record: named, usable where not proven there: %s', async (isUsable, hint) => {
    const proposal = {
      id: buildId(),
      leadId: buildId(),
      kind: 'email' as const,
      value: 'bob@home.test',
      shown: 'bob@home.test',
      createdAt: '2026-11-20T15:04:05.000Z',
      answeredAt: '2026-11-20T15:14:05.000Z',
      activity: 'link_used' as const,
      typedAt: null,
      typedName: null,
      typedLeadId: null,
      isFirstForm: false,
      belongsTo: 'Bob',
      belongsToId: buildId(),
      isUsable,
      isInUse: false,
    }
    await open({ alsoGave: [proposal] })
    expect(screen.getByRole('link', { name: 'Bob' })).toHaveAttribute('href', `/app/customers/${proposal.belongsToId}`)
    expect(screen.getByText(hint, { exact: false })).toBeInTheDocument()
    expect(screen.queryAllByRole('button', { name: /^Use it/ })).toHaveLength(isUsable ? 1 : 0)
    expect(screen.getByText('Someone used a link that was sent there.')).toBeInTheDocument()
    expect(screen.queryByText(/^In the form of/)).not.toBeInTheDocument()
  })

  it.each([
    ['Marvin', 'named this address too: Marvin. Messages'],
    ['Marvin B.', 'named this address too: Marvin B. Messages'],
  ])('own address that another request named: messages still go there: %s', async (belongsTo, sentence) => {
    const proposal = {
      id: buildId(),
      leadId: buildId(),
      kind: 'phone' as const,
      value: '+15125550142',
      shown: '(512) 555-0142',
      createdAt: '2026-11-20T15:04:05.000Z',
      answeredAt: null,
      activity: 'written' as const,
      typedAt: null,
      typedName: null,
      typedLeadId: null,
      isFirstForm: false,
      belongsTo,
      belongsToId: buildId(),
      isUsable: true,
      isInUse: true,
    }
    await open({ alsoGave: [proposal] })
    expect(screen.getByText('Another request named their address')).toBeInTheDocument()
    expect(screen.getByText(/Messages still go there\./)).toHaveTextContent(sentence)
    expect(screen.queryByText(/do not go there until you use it/)).not.toBeInTheDocument()
    expect(screen.queryByText(/Also gave/)).not.toBeInTheDocument()
  })

  it.each([
    [{ state: 'stopped', byPerson: true, saidElsewhere: false }, 'Your business stopped texts'],
    [{ state: 'paused', byPerson: false, saidElsewhere: false }, 'May want no texts'],
    [{ state: 'paused', byPerson: false, saidElsewhere: true }, 'Asked for no texts'],
  ] as const)('opt-out: names who decided: %o', async (no, words) => {
    await open({ smsOptOut: { ...no, since: '2026-11-20T15:04:05.000Z', matched: null } })
    expect(screen.getByText(words)).toBeInTheDocument()
    expect(screen.queryByText('Said STOP to texts')).not.toBeInTheDocument()
  })

  it('opt-out at another number: names the number', async () => {
    const no = { state: 'stopped', byPerson: false, saidElsewhere: false, matched: 'STOP' } as const
    await open({ smsOptOut: { ...no, since: '2026-11-20T15:04:05.000Z' }, smsOptOutNumber: '(512) 555-0177' })
    expect(screen.getByText('Said STOP to texts: (512) 555-0177')).toBeInTheDocument()
  })

  it('merged record: redirects; other unknown records show not found', async () => {
    const kept = buildCustomer({ name: 'Anna Lee' })
    server.on('GET', /^\/api\/customers\/(old|[0-9a-f-]{36})$/, { body: kept })
    renderApp('/app/customers/old')
    expect(await screen.findByRole('heading', { level: 1, name: 'Anna Lee' })).toBeInTheDocument()
    await waitFor(() => expect(server.requests.at(-1)?.url).toContain(kept.id))
  })

  it('unknown record: shows not found', async () => {
    server.on('GET', '/api/customers/nope', buildProblemResponse(buildProblem(404, 'not_found')))
    renderApp('/app/customers/nope')
    expect(await screen.findByRole('heading', { level: 1, name: 'Customer Not Found' })).toBeInTheDocument()
  })

  it('edit: saves, and shows a duplicate number at its field', async () => {
    const { customer, user } = await open()
    await user.click(screen.getByRole('button', { name: 'Edit' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit the customer' }))
    const phone = dialog.getByLabelText(/^Phone/)
    await user.clear(phone)
    await user.type(phone, '737 555 0199')
    server.on(
      'PATCH',
      `/api/customers/${customer.id}`,
      buildProblemResponse(buildProblem(422, 'validation_failed', { errors: { phone: 'Bob has this one already.' } })),
    )
    await user.click(dialog.getByRole('button', { name: 'Save the customer' }))
    expect(await dialog.findByText('Bob has this one already.')).toBeInTheDocument()
    expect(await sent('PATCH', `/api/customers/${customer.id}`)).toEqual({ phone: '737 555 0199' })
  })

  it.each([
    [{ isStaff: false, hasComplaint: false }, 'There is a problem', { hasComplaint: true }, 'Problem noted'],
    [{ isStaff: false, hasComplaint: true }, 'There is a problem', { hasComplaint: false }, 'Problem settled'],
    [
      { isStaff: false, hasComplaint: false },
      'Staff or relative',
      { isStaff: true },
      'They are never asked for a review.',
    ],
    [
      { isStaff: true, hasComplaint: false },
      'Staff or relative',
      { isStaff: false },
      'They are asked after their next job, like everybody.',
    ],
  ] as const)('with %o: shows the review eligibility: %s', async (parts, label, body, expectedText) => {
    const { customer, user } = await open(parts)
    const asked = screen.getByRole('link', { name: 'When they were asked' })
    expect(asked).toHaveAttribute('href', `/app/reviews?tab=asked&customer=${customer.id}`)
    server.on('PATCH', `/api/customers/${customer.id}`, { body: { ...customer, ...body } })
    server.on('GET', `/api/customers/${customer.id}`, { body: { ...customer, ...body } })
    const toggle = screen.getByRole('switch', { name: new RegExp(`^${label}`) })
    await user.click(toggle)
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
    expect(await sent('PATCH', `/api/customers/${customer.id}`)).toEqual(body)
    const [isOn] = Object.values(body)
    await waitFor(() => expect(toggle).toHaveProperty('checked', isOn))
    // Also shown at the head of the record, while it is open.
    expect(screen.queryAllByText(label)).toHaveLength(isOn ? 2 : 1)
  })

  it('removed place: restored by Undo', async () => {
    const place = { id: buildId(), label: 'Rental', address: '9 Elm St', zip: '78701', notes: 'Gate 4711' }
    const { customer, user } = await open({ properties: [place] })
    server.on('DELETE', `/api/customers/${customer.id}/properties/${place.id}`, { status: 204 })
    server.on('POST', `/api/customers/${customer.id}/properties`, { status: 201, body: place })
    await user.click(screen.getByRole('button', { name: 'Change Rental' }))
    await user.click(await screen.findByRole('button', { name: 'Remove' }))
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Place added')).toBeInTheDocument()
    const { id: _id, ...written } = place
    expect(await sent('POST', `/api/customers/${customer.id}/properties`)).toEqual(written)
  })

  it('address of a request: can be saved as a place', async () => {
    const { customer, user } = await open({ otherAddresses: [{ address: '7 Oak Ave', zip: '78702' }] })
    server.on('POST', `/api/customers/${customer.id}/properties`, {
      status: 201,
      body: { id: buildId(), label: null, address: '7 Oak Ave', zip: '78702', notes: null },
    })
    await user.click(screen.getByRole('button', { name: 'Keep 7 Oak Ave, 78702 as a place' }))
    expect(await screen.findByText('Place added')).toBeInTheDocument()
    expect(await sent('POST', `/api/customers/${customer.id}/properties`)).toEqual({
      address: '7 Oak Ave',
      zip: '78702',
    })
  })
})

describe('personal data', () => {
  it('erasure requires the typed name, and lists what goes and what stays', async () => {
    const { customer, user } = await open()
    const path = `/api/customers/${customer.id}/erasure`
    const waiting = {
      id: buildId(),
      customerId: customer.id,
      askedAt: '2026-11-20T15:04:05.000Z',
      dueAt: '2026-11-23T15:04:05.000Z',
    }
    server.on('POST', path, { status: 202, body: waiting })
    await user.click(await screen.findByRole('button', { name: 'Erase' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('What goes')).toBeInTheDocument()
    expect(dialog.getByText(/1 estimate or invoice and 0 payments, without the name/u)).toBeInTheDocument()
    const erase = dialog.getByRole('button', { name: 'Erase in 3 days' })
    expect(erase).toBeDisabled()
    await user.type(dialog.getByLabelText('Type Ann Lee'), 'Ann Lee')
    server.on('GET', `/api/customers/${customer.id}/personal-data`, { body: buildPersonalData(customer, { waiting }) })
    await user.click(erase)
    expect(await screen.findByText(/will be erased on/u)).toBeInTheDocument()
    expect(await sent('POST', path)).toEqual({ name: 'Ann Lee' })
    const notifications = within(screen.getByRole('region', { name: 'Notifications (F8)' }))
    expect(await notifications.findByText('Customer will be erased')).toBeInTheDocument()
    server.on('DELETE', path, { status: 204 })
    server.on('GET', `/api/customers/${customer.id}/personal-data`, { body: buildPersonalData(customer) })
    await user.click(notifications.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByRole('button', { name: 'Erase' })).toBeEnabled()
    expect(await notifications.findByText('Customer kept')).toBeInTheDocument()
    expect(notifications.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
  })

  it('erasure names the other records with the same phone or email', async () => {
    const other = { id: buildId(), name: 'Anna Lee', phoneShown: null, email: null, why: 'Same phone: (512) 555-0142' }
    const { user } = await open({}, { otherRecords: [other] })
    expect(await screen.findByRole('link', { name: 'Anna Lee' })).toHaveAttribute('href', `/app/customers/${other.id}`)
    await user.click(screen.getByRole('button', { name: 'Erase' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByRole('link', { name: 'Anna Lee' })).toBeInTheDocument()
  })

  it('waiting erasure: undone on the card', async () => {
    const waiting = {
      id: buildId(),
      customerId: 'c1',
      askedAt: '2026-11-20T15:04:05.000Z',
      dueAt: '2026-11-23T15:04:05.000Z',
    }
    const { customer, user } = await open({}, { waiting })
    server.on('DELETE', `/api/customers/${customer.id}/erasure`, { status: 204 })
    const undo = await screen.findByRole('button', { name: 'Undo' })
    server.on('GET', `/api/customers/${customer.id}/personal-data`, { body: buildPersonalData(customer) })
    await user.click(undo)
    expect(await screen.findByRole('button', { name: 'Erase' })).toBeEnabled()
  })

  it('erasure that has begun: offers no Undo', async () => {
    const waiting = {
      id: buildId(),
      customerId: 'c1',
      askedAt: '2026-11-20T15:04:05.000Z',
      dueAt: '2026-11-23T15:04:05.000Z',
    }
    await open({}, { waiting, hasBegun: true })
    expect(await screen.findByText('This customer is being erased. You can no longer undo it.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Erase' })).not.toBeInTheDocument()
  })

  it('planned erasure: said at the top, where the owner can undo it', async () => {
    const erasure = { dueAt: '2026-11-23T15:04:05.000Z', hasBegun: false, isBlocked: true, erasedAt: null }
    const { customer, user } = await open({ erasure })
    expect(await screen.findByText('Erasure is waiting')).toBeInTheDocument()
    expect(screen.getByText(/Something is in the way, so it waits/u)).toBeInTheDocument()
    server.on('DELETE', `/api/customers/${customer.id}/erasure`, { status: 204 })
    server.on('GET', `/api/customers/${customer.id}`, { body: { ...customer, erasure: null } })
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Customer kept')).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByText('Erasure is waiting')).not.toBeInTheDocument())
  })

  it('planned erasure: the office sees it without Undo', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'office' }) })
    const erasure = { dueAt: '2026-11-23T15:04:05.000Z', hasBegun: false, isBlocked: false, erasedAt: null }
    await open({ erasure })
    expect(await screen.findByText(/^Will be erased on/u)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
  })

  it('erasure that waits for what the customer did since can be asked for again', async () => {
    const waiting = {
      id: buildId(),
      customerId: 'c1',
      askedAt: '2026-11-20T15:04:05.000Z',
      dueAt: '2026-11-23T15:04:05.000Z',
    }
    const blockedBy =
      'They got in touch or approved an estimate after you planned the erasure. Erase them anyway, or undo it.'
    const { user } = await open({}, { waiting, blockedBy, blockedReason: 'erasure_blocked_by_activity' })
    expect(await screen.findByText(blockedBy)).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Erase anyway' }))
    expect(await screen.findByRole('button', { name: 'Erase in 3 days' })).toBeInTheDocument()
  })

  it('erasure is blocked while work or money is open', async () => {
    await open({}, { blockedBy: 'An invoice is still open. Settle or void it first.' })
    expect(await screen.findByText('An invoice is still open. Settle or void it first.')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Erase' })).toBeDisabled()
  })
})
