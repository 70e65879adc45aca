import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadInvoiceScreens } from '@/testing/load-screens'
import { buildInvoice } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const late = buildInvoice({
  number: 'INV-1001',
  customer: 'Ana Diaz',
  status: 'overdue',
  daysOverdue: 12,
  paid: 250,
  balance: 1000,
})
const draft = buildInvoice({ number: null, customer: 'Ben Carter', status: 'draft', issuedOn: null, dueOn: null })

beforeAll(() => Promise.all([loadInvoiceScreens(), import('./actions/reminders-dialog')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/invoices', (_request, url) => {
    const [status, q] = [url.searchParams.get('status'), url.searchParams.get('q') ?? '']
    const found = [draft, late].filter(
      (invoice) => (status === null || invoice.status === status) && invoice.customer.toLowerCase().includes(q),
    )
    return { body: found, headers: { 'X-Total-Count': String(found.length) } }
  })
})

const table = () => screen.findByRole('table', { name: 'Invoices, newest first' })

describe('invoice list', () => {
  it('shows number, customer, dates, amounts and state', async () => {
    renderApp('/app/invoices')
    const rows = within(await table()).getAllByRole('row')
    expect(rows[1]).toHaveTextContent(/Draft invoiceBen CarterNot sent yet.*\$1,250\.00.*Draft/)
    expect(rows[2]).toHaveTextContent(
      /INV-1001Ana DiazNov 20, 2026Dec 4, 202612 days overdue\$1,250\.00\$1,000\.00OverduePartly paid/,
    )
    expect(within(rows[2] as HTMLElement).getByRole('link', { name: 'INV-1001' })).toHaveAttribute(
      'href',
      `/app/invoices/${late.id}`,
    )
  })

  it('is filtered by state and text, and reset', async () => {
    const { user } = renderApp('/app/invoices?status=overdue')
    expect(within(await table()).getAllByRole('row')).toHaveLength(2)
    expect(screen.getByText('1 invoice found')).toBeInTheDocument()
    expect(screen.getByRole('radio', { name: 'Overdue' })).toBeChecked()
    await user.type(screen.getByRole('searchbox'), 'nobody')
    await user.click(await screen.findByRole('button', { name: 'Show all invoices' }))
    await waitFor(async () => expect(within(await table()).getAllByRole('row')).toHaveLength(3))
    await user.click(screen.getByRole('radio', { name: 'Draft' }))
    await waitFor(async () => expect(within(await table()).getAllByRole('row')).toHaveLength(2))
  })

  it('is ordered by due date and amount, whatever its filter', async () => {
    const { user } = renderApp('/app/invoices?status=overdue')
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Order' }), 'Due first')
    expect(await screen.findByRole('table', { name: 'Invoices, due first' })).toBeInTheDocument()
    const last = () => new URL(server.requests.findLast(({ url }) => url.includes('/api/invoices?'))?.url ?? '')
    await waitFor(() =>
      expect(Object.fromEntries(last().searchParams)).toMatchObject({ status: 'overdue', sort: 'due' }),
    )
    await user.click(screen.getByRole('radio', { name: 'All' }))
    await waitFor(() => expect(last().searchParams.get('status')).toBeNull())
    expect(last().searchParams.get('sort')).toBe('due')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'Newest first')
    expect(await table()).toBeInTheDocument()
  })

  it('shows an empty state, and load errors', async () => {
    server.on('GET', '/api/invoices', buildProblemResponse(buildProblem(503, 'unavailable')))
    const { user } = renderApp('/app/invoices')
    const retry = await screen.findByRole('button', { name: 'Try again' })
    server.on('GET', '/api/invoices', { body: [] })
    await user.click(retry)
    expect(await screen.findByText('No invoices yet')).toBeInTheDocument()
  })

  it('is exported', async () => {
    const saved: string[] = []
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
    server.on('GET', '/api/invoices/export', (_request, url) => ({
      body: 'x',
      headers: {
        'Content-Disposition': `attachment; filename="invoices-${url.searchParams.get('status')}.${url.searchParams.get('format')}"`,
      },
    }))
    const { user } = renderApp('/app/invoices?status=draft')
    await user.click(await screen.findByRole('button', { name: 'Export CSV' }))
    expect(await screen.findByText('Invoices data has been exported to CSV')).toBeInTheDocument()
    expect(saved).toEqual(['invoices-draft.csv'])
  })
})

describe('reminders of old invoices', () => {
  it('go only to ticked ones, after a preview', async () => {
    const old = [
      {
        invoiceId: late.id,
        number: 'INV-1001',
        customer: 'Ana Diaz',
        balance: 1000,
        daysOverdue: 12,
        dates: ['2026-11-23T16:00:00.000Z'],
        channel: 'sms',
        text: 'Your invoice INV-1001 is open.',
        cannot: null,
      },
      {
        invoiceId: 'other',
        number: 'INV-1002',
        customer: 'Cy Young',
        balance: 50,
        daysOverdue: 0,
        dates: [],
        channel: null,
        text: null,
        cannot: 'they asked to stop',
      },
    ]
    server.on('GET', '/api/invoices/reminders', { body: old })
    server.on('POST', '/api/invoices/reminders', { body: { planned: 1 } })
    const { user } = renderApp('/app/invoices')
    await user.click(await screen.findByRole('button', { name: 'Reminders' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remind of open invoices' }))
    const boxes = await dialog.findAllByRole('checkbox')
    expect(boxes.map((box) => (box as HTMLInputElement).checked)).toEqual([false, false])
    expect(dialog.getByRole('button', { name: 'Nothing ticked' })).toBeDisabled()
    expect(dialog.getByText('Your invoice INV-1001 is open.')).toBeInTheDocument()
    expect(dialog.getByText('Would go out Nov 23, 2026, 10:00 AM')).toBeInTheDocument()
    expect(dialog.getByText('Nothing would leave: they asked to stop.')).toBeInTheDocument()
    await user.click(dialog.getByRole('checkbox', { name: /Ana Diaz/ }))
    await user.click(dialog.getByRole('button', { name: 'Remind of one invoice' }))
    expect(await screen.findByText('For one invoice.')).toBeInTheDocument()
    const sent = server.requests.findLast(
      ({ method, url }) => method === 'POST' && new URL(url).pathname === '/api/invoices/reminders',
    )
    expect(await sent?.json()).toEqual({ invoiceIds: [late.id] })
  })
})
