import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import type { AttributionChain, MeasuredGain } from './queries'

let server: FakeServer
let asked: string[]

const group = (leads: number, paying: number, paid: number): MeasuredGain['served'] => ({
  leads,
  paying,
  paid,
  perLead: leads === 0 ? 0 : paid / leads,
})
const off = (test: MeasuredGain['test']): MeasuredGain => ({
  test,
  isOn: false,
  since: null,
  served: group(0, 0, 0),
  heldOut: group(0, 0, 0),
  difference: null,
  leastLeads: 30,
  leastPaying: 5,
})

const sums: Schema['Recovered'] = {
  from: '2026-08-19',
  to: '2026-09-17',
  total: 1050.5,
  isCounted: true,
  categories: [
    { category: 'missed_call', amount: 850, chains: 1 },
    { category: 'auto_reply', amount: 0, chains: 0 },
    { category: 'follow_up', amount: 200.5, chains: 2 },
    { category: 'reminder', amount: 0, chains: 0 },
    { category: 'review_click', amount: 0, chains: 0 },
  ],
  callers: { missed: 10, texted: 10, returned: 3, booked: 0, paid: 1 },
  holdOut: [off('estimate_follow_up'), off('missed_call_text')],
}

const event = (
  step: AttributionChain['events'][number]['step'],
  at: string,
  parts: Partial<AttributionChain['events'][number]> = {},
) => ({
  step,
  at,
  recordId: `${step}-1`,
  amount: null,
  on: null,
  ...parts,
})

const ann: AttributionChain = {
  id: 'l1',
  customer: 'Ann Lee',
  categories: ['missed_call'],
  amount: 800,
  lastOn: '2026-09-17',
  events: [
    event('missed_call', '2026-09-17T15:00:00Z'),
    event('call_text', '2026-09-17T15:00:10Z'),
    event('wrote', '2026-09-17T15:03:00Z'),
    event('booked', '2026-09-17T15:10:00Z', { recordId: 'j1' }),
    event('paid', '2026-09-17T20:00:00Z', { amount: 850, on: '2026-09-17' }),
    event('refunded', '2026-09-17T21:00:00Z', { amount: -50, on: '2026-09-17' }),
  ],
}

afterEach(() => void vi.useRealTimers())

beforeAll(() => Promise.all([loadShell(), import('./recovered.route')]))

beforeEach(() => {
  vi.setSystemTime(new Date('2026-09-17T22:00:00Z'))
  asked = []
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/recovered', (_request, url) => {
    asked.push(url.search)
    return { body: sums }
  })
  server.on('GET', '/api/recovered/chains', (_request, url) => {
    const chains = url.searchParams.get('category') === 'follow_up' ? [] : [ann]
    return {
      body: chains,
      headers: { 'X-Total-Count': String(chains.length), 'X-Total-Amount': chains.length > 0 ? '800.00' : '0.00' },
    }
  })
})

it('shows totals by category, the missed-call funnel, and each case step by step', async () => {
  renderApp('/app/recovered')
  const by = within(await screen.findByRole('list', { name: 'By what it came after' }))
  expect(by.getByRole('button', { name: /^Missed calls/ })).toHaveTextContent('$850.00')
  expect(by.getByRole('button', { name: /^Estimate follow-ups/ })).toHaveTextContent('2 cases')
  expect(screen.getByText('$1,050.50')).toBeInTheDocument()
  expect(screen.getByText('Came back before you called').nextElementSibling).toHaveTextContent('3')
  expect(await screen.findByText('1 case · $800.00')).toBeInTheDocument()
  expect(screen.queryByText(/in all$/)).not.toBeInTheDocument()
  const steps = within(screen.getByRole('list', { name: 'What happened with Ann Lee' })).getAllByRole('listitem')
  expect(steps.map((step) => step.textContent)).toEqual([
    'Missed callSep 17, 2026, 10:00 AM',
    'Texted backSep 17, 2026, 10:00 AM',
    'Wrote backSep 17, 2026, 10:03 AM',
    'Visit plannedSep 17, 2026, 10:10 AM',
    'PaidSep 17, 2026$850.00',
    'Given backSep 17, 2026-$50.00',
  ])
  expect(screen.getByRole('link', { name: 'Ann Lee' })).toHaveAttribute('href', '/app/leads/l1')
  expect(screen.getByRole('link', { name: 'Visit planned' })).toHaveAttribute('href', '/app/jobs/j1')
  expect(asked).toEqual(['?from=2026-08-19&to=2026-09-17'])
})

it('case with payments outside the range: shows its full total', async () => {
  const deposit = event('paid', '2026-06-02T15:00:00Z', { recordId: 'deposit', amount: 1000.1, on: '2026-06-02' })
  server.on('GET', '/api/recovered/chains', {
    body: [{ ...ann, events: [deposit, ...ann.events] }],
    headers: { 'X-Total-Count': '1', 'X-Total-Amount': '800.00' },
  })
  renderApp('/app/recovered')
  expect(await screen.findByText('on these days, $1,800.10 in all')).toBeInTheDocument()
})

it('filters by category and by dates', async () => {
  const { user } = renderApp('/app/recovered?from=2026-09-01&to=2026-09-07')
  expect(await screen.findByRole('radio', { name: 'Sep 1 – Sep 7' })).toBeChecked()
  await user.click(screen.getByRole('radio', { name: '7 days' }))
  await waitFor(() => expect(asked.at(-1)).toBe('?from=2026-09-11&to=2026-09-17'))
  await user.click(await screen.findByRole('button', { name: /^Estimate follow-ups/ }))
  expect(await screen.findByRole('heading', { name: 'Cases: estimate follow-ups' })).toBeInTheDocument()
  expect(await screen.findByText('Nothing recovered on these days')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: /^Estimate follow-ups/, pressed: true }))
  expect(await screen.findByText('1 case · $800.00')).toBeInTheDocument()
})

it('holdout: shows no percentage of few, and names chance as chance', async () => {
  const few: MeasuredGain = {
    ...off('missed_call_text'),
    isOn: true,
    since: '2026-09-01T15:00:00Z',
    served: group(9, 2, 900),
    heldOut: group(1, 0, 0),
  }
  const many: MeasuredGain = {
    ...off('estimate_follow_up'),
    since: '2026-03-01T15:00:00Z',
    served: group(300, 60, 30_000),
    heldOut: group(30, 5, 2500),
    difference: { perLead: 16.67, low: -57.34, high: 90.67 },
  }
  server.on('GET', '/api/recovered', { body: { ...sums, holdOut: [many, few] } })
  renderApp('/app/recovered')
  const texts = await screen.findByRole('region', { name: 'Missed-call texts' })
  expect(texts).toHaveTextContent('Not enough yet: each group needs 30 requests, 5 of which paid.')
  expect(texts).not.toHaveTextContent('%')
  const followUps = screen.getByRole('region', { name: 'Estimate follow-ups' })
  expect(followUps).toHaveTextContent('since Mar 1, 2026, now off')
  expect(followUps).toHaveTextContent('60 of 300 paid $30,000.00')
  expect(followUps).toHaveTextContent(
    '$16.67 more a request with it; with 95% confidence between -$57.34 and $90.67. That may be chance.',
  )
})

it('holdout: off by default', async () => {
  renderApp('/app/recovered')
  expect(await screen.findByText('It is off: no one is left out, and nothing is measured.')).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Hold-out settings' })).toHaveAttribute('href', '/app/settings/reminders')
})
