import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadInvoiceScreens } from '@/testing/load-screens'
import { buildInvoice } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'
import type { PaymentSummary } from './lib/payment-list'

let server: FakeServer
const paid: PaymentSummary = {
  id: 'p1',
  number: 'RCP-1001',
  customer: 'Ana Diaz',
  customerId: 'c1',
  leadId: 'l1',
  kind: 'payment',
  method: 'check',
  amount: 600,
  receivedOn: '2026-09-16',
  reference: '1042',
  allocations: [{ invoiceId: 'i1', number: 'INV-1001', amount: 600 }],
}
const back: PaymentSummary = {
  ...paid,
  id: 'p2',
  number: 'RCP-1002',
  kind: 'refund',
  amount: 100.1,
  reference: null,
  allocations: [],
}

afterEach(() => void vi.useRealTimers())

beforeAll(() => Promise.all([loadInvoiceScreens(), import('./payments.route')]))

beforeEach(() => {
  vi.setSystemTime(new Date('2026-09-17T15:00:00Z'))
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/payments', (_request, url) => {
    const kind = url.searchParams.get('kind')
    const found = url.searchParams.get('q') ? [] : [back, paid].filter((one) => kind === null || one.kind === kind)
    return {
      body: found,
      headers: { 'X-Total-Count': String(found.length), 'X-Total-Amount': kind === 'refund' ? '100.10' : '499.90' },
    }
  })
})

it('payment list: shows day, customer, kind, method and amount, with links to request and invoice', async () => {
  renderApp('/app/payments')
  const [first, second] = within(
    await screen.findByRole('list', { name: 'Payments, the newest day first' }),
  ).getAllByRole('listitem')
  expect(first).toHaveTextContent('Ana Diaz−$100.10Sep 16, 2026 · Refund · Check')
  expect(second).toHaveTextContent('Ana DiazINV-1001$600.00Sep 16, 2026 · Payment · Check · 1042')
  expect(within(second as HTMLElement).getByRole('link', { name: 'Ana Diaz' })).toHaveAttribute('href', '/app/leads/l1')
  expect(within(second as HTMLElement).getByRole('link', { name: 'INV-1001' })).toHaveAttribute(
    'href',
    '/app/invoices/i1',
  )
  expect(screen.getByText('2 rows · $499.90')).toBeInTheDocument()
  expect(within(screen.getByRole('main')).getByRole('link', { name: 'Invoices' })).toHaveAttribute(
    'href',
    '/app/invoices',
  )
})

it('payment list: filtered by the address, reset by a tap, and searchable', async () => {
  const { user } = renderApp('/app/payments?from=2026-09-11&to=2026-09-17&kind=refund')
  expect(await screen.findByText('1 row · $100.10')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Remove: Sep 11 – Sep 17 · refunds' }))
  expect(await screen.findByText('2 rows · $499.90')).toBeInTheDocument()
  await user.type(screen.getByRole('searchbox'), 'bob')
  expect(await screen.findByText('No payments here')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Show all payments' }))
  expect(await screen.findByText('2 rows · $499.90')).toBeInTheDocument()
})

it('invoice list: filtered to a figure by a chip beside the state', async () => {
  const asked: string[] = []
  server.on('GET', '/api/invoices', (_request, url) => {
    asked.push(url.search)
    return {
      body: [buildInvoice({ status: 'overdue', daysOverdue: 45, balance: 750.5 })],
      headers: { 'X-Total-Count': '1', 'X-Total-Amount': '750.50' },
    }
  })
  const { user } = renderApp('/app/invoices?status=overdue&overdueFrom=31&overdueTo=60')
  expect(await screen.findByText('1 invoice found · $750.50 to be paid')).toBeInTheDocument()
  expect(asked[0]).toContain('overdueFrom=31&overdueTo=60&status=overdue')
  await user.click(screen.getByRole('button', { name: 'Remove: overdue 31–60 days' }))
  await waitFor(() => expect(asked.at(-1)).not.toContain('overdueFrom'))
  expect(screen.getByRole('radio', { name: 'Overdue' })).toBeChecked()
})
