import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildId, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadInvoiceScreens, loadLeadScreens } from '@/testing/load-screens'
import { buildInvoice, buildInvoiceView, buildMoney, buildPayment } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'
import type { InvoiceView } from './types'

const leadId = buildId()
let server: FakeServer

function answer(parts: Partial<InvoiceView> = {}): InvoiceView {
  const invoice = buildInvoiceView({ leadId, ...parts })
  server.on('GET', `/api/invoices/${invoice.id}`, { body: invoice })
  return invoice
}

async function open(parts: Partial<InvoiceView> = {}) {
  const invoice = answer(parts)
  const { user } = renderApp(`/app/invoices/${invoice.id}`)
  await screen.findByRole('heading', { level: 1, name: invoice.number ?? 'Draft invoice' })
  const more = async (label: string) => {
    await user.click(screen.getByRole('button', { name: 'More for this invoice' }))
    await user.click(within(await screen.findByRole('dialog', { name: 'More' })).getByRole('button', { name: label }))
  }
  return { invoice, user, more }
}

const sent = async (path: string, method = 'POST') => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}
const dialogOf = async (name: string) => within(await screen.findByRole('dialog', { name }))

beforeAll(() =>
  Promise.all([
    loadInvoiceScreens(),
    loadLeadScreens(),
    import('./actions/send-dialog'),
    import('./actions/payment-dialog'),
    import('./actions/edit-dialog'),
    import('./actions/promise-dialog'),
    import('@/features/ledger/refund-dialog'),
    import('./actions/dispute-dialog'),
    import('./actions/void-dialog'),
    import('./actions/remove-dialog'),
    import('./actions/new-invoice-dialog'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/invoices', { body: [] })
  server.on('GET', `/api/leads/${leadId}`, { body: buildLeadDetail({ id: leadId }) })
  server.on('GET', `/api/leads/${leadId}/money`, { body: buildMoney() })
  server.on('GET', /^\/api\/org\/.*\/settings$/, {
    body: { invoicing: {}, estimates: { taxRates: [], deposit: { kind: 'none', value: null } } },
  })
})

describe('invoice', () => {
  it('opened to collect: the payment is open, and closed for good', async () => {
    const invoice = answer({ status: 'overdue', paid: 0, balance: 1250, daysOverdue: 3 })
    const { user } = renderApp(`/app/invoices/${invoice.id}?do=collect`)
    const dialog = await screen.findByRole('dialog', { name: /payment/i })
    await user.click(within(dialog).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /payment/i })).not.toBeInTheDocument())
  })

  it('separates payments from write-offs', async () => {
    const id = buildId()
    const part = (amount: number) => [{ invoiceId: id, number: 'INV-1001', amount }]
    await open({
      id,
      status: 'open',
      total: 5550,
      paid: 1387.5,
      balance: 4162.5,
      payments: [
        buildPayment({ amount: 1387.5, allocations: part(1387.5) }),
        buildPayment({ kind: 'refund', amount: 200, allocations: part(-200) }),
        buildPayment({ kind: 'write_off', number: null, method: 'none', amount: 200, allocations: part(200) }),
      ],
    })
    const sum = (label: string) =>
      screen.getAllByText(label).find(({ tagName }) => tagName === 'DT')?.nextElementSibling
    expect(sum('Paid')).toHaveTextContent('$1,187.50')
    expect(sum('Written off')).toHaveTextContent('$200.00')
    expect(sum('Open')).toHaveTextContent('$4,162.50')
  })

  it('shows lines, payments, reminders and history', async () => {
    const id = buildId()
    const { invoice } = await open({
      id,
      status: 'overdue',
      paid: 250,
      balance: 1000,
      daysOverdue: 3,
      viewedAt: '2026-11-21T15:00:00.000Z',
      payments: [buildPayment({ amount: 400, allocations: [{ invoiceId: id, number: 'INV-1001', amount: 250 }] })],
      followUps: [
        { step: 'due_3', dueAt: '2026-12-07T16:00:00.000Z', state: 'waiting' },
        { step: 'due_0', dueAt: '2026-12-04T16:00:00.000Z', state: 'skipped', reason: 'they_paid' },
      ],
    })
    expect(screen.getByText('$1,000.00 open')).toBeInTheDocument()
    expect(screen.getByText('Work as discussed')).toBeInTheDocument()
    const payments = within(screen.getByRole('list', { name: 'Payments' }))
    expect(payments.getByText('$250.00')).toBeInTheDocument()
    expect(payments.getByText('Of $400.00 in all')).toBeInTheDocument()
    expect(screen.getByText('Fri, Dec 4 10:00 AM, the day it is due, left out: they paid')).toBeInTheDocument()
    expect(screen.getByText('Mon, Dec 7 10:00 AM, 3 days late')).toBeInTheDocument()
    expect(screen.getByText('3 days overdue')).toBeInTheDocument()
    for (const link of screen.getAllByRole('link', { name: invoice.customer }))
      expect(link).toHaveAttribute('href', `/app/leads/${leadId}`)
  })

  it('offers receipts and refunds of its payments', async () => {
    const payment = buildPayment({ amount: 350, refundable: 350, number: 'RCP-1001', method: 'check' })
    const { user } = await open({ paid: 350, balance: 900, payments: [payment] })
    const payments = within(screen.getByRole('list', { name: 'Payments' }))
    server.on('POST', `/api/payments/${payment.id}/receipt`, {
      status: 202,
      body: {
        sent: [
          {
            channel: 'email',
            messageId: 'm1',
            to: 'ana@home.test',
            outlook: { state: 'leaves', text: 'on its way', until: null },
          },
        ],
        notSent: [],
      },
    })
    await user.click(await payments.findByRole('button', { name: 'Email it' }))
    expect(await screen.findByText('Receipt on its way')).toBeInTheDocument()
    server.on('POST', `/api/payments/${payment.id}/refund`, {
      body: { ...buildMoney(), payment: buildPayment({ kind: 'refund', amount: 100 }) },
    })
    await user.click(payments.getByRole('button', { name: 'Refund' }))
    const dialog = await dialogOf('Refund this payment?')
    await user.clear(dialog.getByLabelText(/^Amount/))
    await user.type(dialog.getByLabelText(/^Amount/), '100')
    await user.click(dialog.getByRole('radio', { name: /^They owe it again/ }))
    await user.click(dialog.getByRole('button', { name: 'Record refund' }))
    expect(await screen.findByText('Refund recorded')).toBeInTheDocument()
    expect(await sent(`/api/payments/${payment.id}/refund`)).toEqual({ amount: 100, method: 'check', forgive: false })
  })

  it('unknown invoice: shows not found', async () => {
    server.on('GET', '/api/invoices/nope', buildProblemResponse(buildProblem(404, 'not_found')))
    renderApp('/app/invoices/nope')
    expect(await screen.findByRole('heading', { level: 1, name: 'Invoice Not Found' })).toBeInTheDocument()
  })

  it('payment defaults to the full balance', async () => {
    const { invoice, user } = await open()
    const money = buildMoney({ owed: 2900, invoices: [{ ...buildInvoice({ id: invoice.id }), balance: 900 }] })
    server.on('POST', `/api/leads/${leadId}/paid`, {
      body: { ...money, payment: buildPayment({ amount: 350 }), lead: buildLeadDetail({ id: leadId }) },
    })
    await user.click(screen.getByRole('button', { name: 'Record payment' }))
    const dialog = await dialogOf('Payment of INV-1001')
    const amount = dialog.getByLabelText(/^Amount/)
    expect(amount).toHaveValue('1250.00')
    await user.clear(amount)
    await user.type(amount, '350')
    await user.click(dialog.getByRole('radio', { name: 'Check' }))
    await user.click(dialog.getByRole('button', { name: 'Record payment' }))
    expect(await screen.findByText('$350.00 recorded, $900.00 of it still open.')).toBeInTheDocument()
    expect(await sent(`/api/leads/${leadId}/paid`)).toMatchObject({
      amount: 350,
      method: 'check',
      invoiceId: invoice.id,
      partial: true,
      receipt: true,
    })
  })

  it.each([
    [
      'Promise to pay',
      'Promise to pay INV-1001',
      'They pay by',
      '2099-12-24',
      'Note the promise',
      'promise',
      { on: '2099-12-24' },
      'Promise noted',
    ],
    [
      'Disputed by the customer',
      'INV-1001 is disputed',
      'What they say',
      'It still drips',
      'Note the dispute',
      'dispute',
      { isDisputed: true, reason: 'It still drips' },
      'Dispute noted',
    ],
    [
      'Void invoice',
      'Void INV-1001?',
      'Reason',
      'Wrong customer',
      'Void invoice',
      'void',
      { reason: 'Wrong customer' },
      'Invoice voided',
    ],
  ])('%s', async (action, title, field, typed, button, path, body, expectedText) => {
    const { invoice, user, more } = await open()
    server.on('POST', `/api/invoices/${invoice.id}/${path}`, { body: invoice })
    await more(action)
    const dialog = await dialogOf(title)
    await user.click(dialog.getByRole('button', { name: button }))
    expect(await dialog.findByRole('alert')).toBeInTheDocument()
    await user.type(dialog.getByLabelText(new RegExp(`^${field}`)), typed)
    await user.click(dialog.getByRole('button', { name: button }))
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
    expect(await sent(`/api/invoices/${invoice.id}/${path}`)).toEqual(body)
  })

  it('dispute can be resolved', async () => {
    const { invoice, more } = await open({ disputedAt: '2026-11-21T15:00:00.000Z' })
    server.on('POST', `/api/invoices/${invoice.id}/dispute`, { body: { ...invoice, disputedAt: null } })
    await more('Dispute is settled')
    expect(await screen.findByText('Dispute settled')).toBeInTheDocument()
    expect(await sent(`/api/invoices/${invoice.id}/dispute`)).toEqual({ isDisputed: false })
    await waitFor(() => expect(screen.queryByText('Disputed')).not.toBeInTheDocument())
  })
})

describe('draft invoice', () => {
  const draft = { number: null, status: 'draft', issuedOn: null, dueOn: null, sentAt: null, link: null } as const

  it('is sent by the chosen channels, and names those that failed', async () => {
    const { invoice, user } = await open(draft)
    server.on('POST', `/api/invoices/${invoice.id}/send`, {
      status: 202,
      body: {
        sent: [{ channel: 'email', messageId: buildId(), to: 'carla@home.test' }],
        notSent: [{ channel: 'sms', reason: 'SMS is not set up' }],
      },
    })
    await user.click(screen.getByRole('button', { name: 'Send invoice' }))
    const dialog = await dialogOf('Send this invoice')
    await user.click(await dialog.findByRole('button', { name: 'Send invoice' }))
    expect(await screen.findByText('By email. No text: SMS is not set up.')).toBeInTheDocument()
    expect(await sent(`/api/invoices/${invoice.id}/send`)).toEqual({ email: true, text: true })
  })

  it('paid in advance: is sent with the remaining amount', async () => {
    const earlier = buildInvoice({ status: 'paid', total: 100, paid: 100, balance: 0 })
    server.on('GET', `/api/leads/${leadId}/money`, { body: buildMoney({ collected: 223.75, invoices: [earlier] }) })
    const { user } = await open({ ...draft, total: 495, balance: 495 })
    await user.click(screen.getByRole('button', { name: 'Send invoice' }))
    const dialog = await dialogOf('Send this invoice')
    expect(
      await dialog.findByText(/^\$371\.25 is due from .+: \$495\.00 less \$123\.75 settled before\./),
    ).toBeInTheDocument()
  })

  it('saves only changed fields', async () => {
    const { invoice, user, more } = await open(draft)
    server.on('PATCH', `/api/invoices/${invoice.id}`, { body: invoice })
    await more('Edit draft')
    const dialog = await dialogOf('Edit draft')
    await user.type(dialog.getByLabelText(/^Note to the customer/), 'Thank you')
    await user.click(dialog.getByRole('switch', { name: /^Last invoice/ }))
    await user.click(dialog.getByRole('button', { name: 'Save draft' }))
    expect(await screen.findByText('Draft saved')).toBeInTheDocument()
    expect(await sent(`/api/invoices/${invoice.id}`, 'PATCH')).toEqual({ notes: 'Thank you', isFinal: false })
  })

  it('adds a line with a unique id', async () => {
    const { invoice, user, more } = await open(draft)
    server.on('PATCH', `/api/invoices/${invoice.id}`, { body: invoice })
    await more('Edit draft')
    const dialog = await dialogOf('Edit draft')
    expect(dialog.queryByRole('switch', { name: /^Offer options/ })).not.toBeInTheDocument()
    await user.click(dialog.getByRole('button', { name: 'Add line' }))
    await user.type(dialog.getAllByLabelText(/^What/)[1] as HTMLElement, 'Permit')
    await user.type(dialog.getAllByLabelText(/^Price each/)[1] as HTMLElement, '80')
    expect(dialog.getByText('Total').parentElement).toHaveTextContent('Total$1,330.00')
    await user.click(dialog.getByRole('button', { name: 'Save draft' }))
    expect(await screen.findByText('Draft saved')).toBeInTheDocument()
    expect(await sent(`/api/invoices/${invoice.id}`, 'PATCH')).toMatchObject({
      lines: [
        { id: '1', unitPrice: 1250 },
        { id: '2', name: 'Permit', unitPrice: 80 },
      ],
    })
  })

  it('keeps its input through a closed sheet, until discarded', async () => {
    const { user, more } = await open(draft)
    await more('Edit draft')
    const first = await dialogOf('Edit draft')
    await user.type(first.getByLabelText(/^Note to the customer/), 'Thank you')
    await user.click(first.getByRole('button', { name: 'Close' }))
    await more('Edit draft')
    const second = await dialogOf('Edit draft')
    expect(second.getByLabelText(/^Note to the customer/)).toHaveValue('Thank you')
    await user.click(second.getByRole('button', { name: 'Cancel' }))
    await more('Edit draft')
    expect((await dialogOf('Edit draft')).getByLabelText(/^Note to the customer/)).toHaveValue('')
  })

  it('can be deleted', async () => {
    const { invoice, user, more } = await open(draft)
    server.on('DELETE', `/api/invoices/${invoice.id}`, { status: 204 })
    await more('Throw the draft away')
    await user.click((await dialogOf('Throw this draft away?')).getByRole('button', { name: 'Throw away' }))
    expect(await screen.findByText('Draft deleted')).toBeInTheDocument()
    expect(await screen.findByRole('heading', { level: 1, name: 'Invoices' })).toBeInTheDocument()
  })
})

describe('lead invoices', () => {
  async function openCard(money: Parameters<typeof buildMoney>[0]) {
    server.on('GET', '/api/jobs', { body: [] })
    server.on('GET', '/api/alerts', { body: [] })
    server.on('GET', `/api/leads/${leadId}/estimates`, { body: [] })
    server.on('GET', `/api/leads/${leadId}/money`, { body: buildMoney(money) })
    const { user } = renderApp(`/app/leads/${leadId}?tab=money`)
    const heading = await screen.findByRole('heading', { level: 2, name: 'Invoices' })
    const card = within(heading.closest('section') as HTMLElement)
    return { user, card }
  }

  it('are listed on the lead’s page, and a progress invoice is created as a draft', async () => {
    const first = buildInvoiceView({ leadId })
    const { user, card } = await openCard({ agreed: 5000, invoiced: 1250, invoices: [first] })
    expect(await card.findByRole('link', { name: 'INV-1001' })).toHaveAttribute('href', `/app/invoices/${first.id}`)
    const made = answer({ number: null, status: 'draft', total: 1500, balance: 1500 })
    server.on('POST', '/api/invoices', { status: 201, body: made })
    await user.click(card.getByRole('button', { name: 'New invoice' }))
    const dialog = await dialogOf('New invoice')
    expect(dialog.getByText('$3,750.00')).toBeInTheDocument()
    await user.click(dialog.getByRole('radio', { name: /^A part/ }))
    await user.type(dialog.getByLabelText(/^Percent of it/), '30')
    await user.click(dialog.getByRole('button', { name: 'Make draft' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Draft invoice' })).toBeInTheDocument()
    expect(await sent('/api/invoices')).toEqual({ leadId, share: { percent: 30 } })
  })

  it('nothing left to bill: says so', async () => {
    const { user, card } = await openCard({ agreed: 5000 })
    server.on(
      'POST',
      '/api/invoices',
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { lines: 'Nothing was agreed yet: add at least one line' } }),
      ),
    )
    await user.click(await card.findByRole('button', { name: 'New invoice' }))
    const dialog = await dialogOf('New invoice')
    await user.click(dialog.getByRole('button', { name: 'Make draft' }))
    expect(await dialog.findByText('Nothing was agreed yet: add at least one line')).toBeInTheDocument()
  })

  it('without an agreed amount: require text and amount', async () => {
    const { user, card } = await openCard({})
    expect(await card.findByText('No invoice yet.')).toBeInTheDocument()
    const made = answer({ number: null, status: 'draft' })
    server.on('POST', '/api/invoices', { status: 201, body: made })
    await user.click(card.getByRole('button', { name: 'New invoice' }))
    const dialog = await dialogOf('New invoice')
    await user.click(dialog.getByRole('button', { name: 'Make draft' }))
    expect(await dialog.findByText('Say what it is for')).toBeInTheDocument()
    await user.type(dialog.getByLabelText(/^What for/), 'Service call')
    await user.type(dialog.getByLabelText(/^Amount/), '95')
    await user.click(dialog.getByRole('button', { name: 'Make draft' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Draft invoice' })).toBeInTheDocument()
    expect(await sent('/api/invoices')).toEqual({
      leadId,
      lines: [{ name: 'Service call', quantity: 1, unitPrice: 95 }],
    })
  })
})
