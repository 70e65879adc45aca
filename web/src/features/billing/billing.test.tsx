import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadBilling } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { buildSubscription } from '@/testing/subscription-builders'

const user = buildUser()
const path = `/api/subscription/${user.orgId}`
const paid: Schema['SubscriptionInvoice'] = {
  id: 'in_1',
  number: 'TB-0001',
  createdAt: '2026-11-22T15:00:00Z',
  amount: 2850,
  status: 'paid',
  hasPdf: true,
}
let server: FakeServer

beforeAll(loadBilling)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', `${path}/invoices`, { body: [paid] })
})

const mockSubscription = (parts: Partial<Schema['Subscription']>) =>
  server.on('GET', path, { body: buildSubscription(parts) })

describe('billing page', () => {
  it('shows plan, card, payments and features', async () => {
    renderApp('/app/billing')
    expect(await screen.findByRole('heading', { name: 'Billing and Subscription' })).toBeInTheDocument()
    expect(await screen.findByText('Complete Package')).toBeInTheDocument()
    expect(screen.getByText('$350 a month')).toBeInTheDocument()
    expect(screen.getByText('Next billing on Dec 22, 2026.')).toBeInTheDocument()
    expect(screen.getByText(/ending in 4242/)).toBeInTheDocument()
    expect(await screen.findByRole('row', { name: 'Nov 22, 2026 TB-0001 Paid $2,850.00' })).toBeInTheDocument()
    expect(screen.getByText('Unlimited Usage')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'help@toolbox.test' })).toHaveAttribute('href', 'mailto:help@toolbox.test')
    for (const name of ['Manage Subscription', 'Download Invoices', 'Cancel Subscription'])
      expect(screen.getByRole('button', { name })).toBeInTheDocument()
  })

  it('reports a portal that cannot be opened', async () => {
    server.on('POST', '/api/create-portal-session', buildProblemResponse(buildProblem(503, 'unavailable')))
    const { user: person } = renderApp('/app/billing')
    await person.click(await screen.findByRole('button', { name: 'Manage Subscription' }))
    expect(await screen.findByText('Failed to open customer portal')).toBeInTheDocument()
  })

  it('cancels after showing the date, and resumes', async () => {
    server.on('POST', `${path}/cancel`, {
      body: buildSubscription({ state: 'cancelled', until: '2026-12-22T15:00:00Z', endsAt: '2026-12-22T15:00:00Z' }),
    })
    server.on('DELETE', `${path}/cancel`, { body: buildSubscription() })
    const { user: person } = renderApp('/app/billing')
    await person.click(await screen.findByRole('button', { name: 'Cancel Subscription' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Cancel your subscription?' }))
    expect(dialog.getByText('Dec 22, 2026')).toBeInTheDocument()
    expect(dialog.getByRole('link', { name: 'Download everything' })).toHaveAttribute(
      'href',
      '/api/organization/export',
    )
    await person.click(dialog.getByRole('button', { name: 'Cancel Subscription' }))
    expect(
      await screen.findByText('Everything goes on until Dec 22, 2026. Until then you can undo this.'),
    ).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Keep Subscription' }))
    expect(await screen.findByRole('button', { name: 'Cancel Subscription' })).toBeInTheDocument()
  })

  it('shows the end of a six-month prepayment', async () => {
    mockSubscription({
      plan: 'six_months',
      currentPeriodEnd: '2027-05-21T15:00:00Z',
      wouldEndAt: '2027-05-21T15:00:00Z',
    })
    const { user: person } = renderApp('/app/billing')
    await person.click(await screen.findByRole('button', { name: 'Cancel Subscription' }))
    const dialog = screen.getByRole('dialog', { name: 'Cancel your subscription?' })
    expect(dialog).toHaveTextContent(
      /The six months that you paid for go on to their end: it ends on May 21, 2027\..*Nothing more is charged\./,
    )
    expect(dialog).not.toHaveTextContent('charged by the day')
  })

  it('without billing set up: explains disabled actions and has no portal', async () => {
    mockSubscription({
      active: false,
      setupPaid: false,
      plan: null,
      state: 'none',
      until: null,
      currentPeriodEnd: null,
      price: null,
      card: null,
      isSetUp: false,
    })
    server.on('GET', `${path}/invoices`, { body: [] })
    server.on(
      'POST',
      '/api/create-portal-session',
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Billing is not set up on this install.' })),
    )
    const { user: person } = renderApp('/app/billing')
    expect(await screen.findByText(/^Billing is not set up on this install. Nothing is charged/)).toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'What your business can send' })).toBeInTheDocument()
    expect(screen.queryByText('Leaving')).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Cancel Subscription' })).not.toBeInTheDocument()
    const download = screen.getByRole('button', { name: 'Download Invoices' })
    await waitFor(() => expect(download).toHaveAccessibleDescription(/There is nothing to download before the first\./))
    expect(download).toBeDisabled()
    expect(screen.queryByRole('link', { name: 'Subscribe' })).not.toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Manage Subscription' }))
    expect(await screen.findByText('Failed to open customer portal')).toBeInTheDocument()
  })

  it('before a subscription: nothing to leave', async () => {
    mockSubscription({ setupPaid: false, canBegin: true, plan: null, state: 'none' })
    renderApp('/app/billing')
    expect(await screen.findByRole('link', { name: 'Subscribe' })).toHaveAttribute('href', '/checkout')
    expect(screen.queryByText('Leaving')).not.toBeInTheDocument()
  })

  it('before a payment: shows the steps that open sending', async () => {
    mockSubscription({ setupPaid: false, canBegin: true, plan: null, state: 'none' })
    const next = 'To write to your customers, subscribe under Billing.'
    const steps = (['address_proven', 'sender_verified', 'trusted'] as const).map((level, place) => ({
      level,
      isReached: place === 0,
    }))
    server.on('GET', '/api/trust', {
      body: { level: 'address_proven', steps, next, budgets: [], takesMoney: true, mailLeaves: true },
    })
    renderApp('/app/billing')
    expect(await screen.findByText(next)).toBeInTheDocument()
    expect(screen.getByText(/^A sending number of your own/)).toHaveTextContent('(not yet)')
    expect(screen.getByRole('link', { name: 'Go to Texting number' })).toBeInTheDocument()
  })

  it.each([
    [
      { isSetUp: false, canBegin: true, state: 'grace' as const },
      'Billing is not set up on this install, so there is nothing to cancel.',
      'Subscribe again',
    ],
    [{ canBegin: true, state: 'grace' as const }, 'Your subscription has ended already.', 'Subscribe again'],
  ])('explains why there is nothing to cancel: %o', async (parts, reason, link) => {
    mockSubscription(parts)
    renderApp('/app/billing')
    const cancel = await screen.findByRole('button', { name: 'Cancel Subscription' })
    expect(cancel).toBeDisabled()
    expect(cancel).toHaveAccessibleDescription(reason)
    expect(screen.getByRole('link', { name: link })).toHaveAttribute('href', '/checkout')
  })

  it('claims a paid subscription from the emailed link once, and drops the token', async () => {
    server.on('POST', '/api/claim-subscription', { body: buildSubscription() })
    renderApp('/app/billing?claim=token-1')
    expect(await screen.findByText('Your subscription is set up')).toBeInTheDocument()
    const claims = server.requests.filter(({ method }) => method === 'POST')
    expect(claims).toHaveLength(1)
    expect(await claims[0]?.json()).toEqual({ token: 'token-1' })
  })

  it('read-only for the office', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    renderApp('/app/billing')
    expect(await screen.findByText('Only the owner can change this.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Cancel Subscription' })).not.toBeInTheDocument()
    expect(server.requests.filter(({ url }) => url.endsWith('/invoices'))).toHaveLength(0)
  })
})

describe('Billing tab', () => {
  it('shows the plan with Manage Billing, and the invoices', async () => {
    renderApp('/app/settings/subscription')
    expect(await screen.findByRole('button', { name: 'Manage Billing' })).toBeInTheDocument()
    expect(await screen.findByRole('row', { name: /TB-0001/ })).toBeInTheDocument()
  })
})

describe('subscription notice', () => {
  it.each([
    ['past_due', 'A payment is owed. Everything goes on until Dec 22, 2026.'],
    ['grace', 'It has ended. Everything goes on until Dec 22, 2026.'],
    [
      'read_only',
      /Nothing can be changed, and customers get no automatic answers\. You can read and export everything\. Your data is kept until Dec 22, 2026 at least\./,
    ],
  ] as const)('explains the state %s', async (state, words) => {
    mockSubscription({ active: false, state })
    renderApp('/app/billing')
    const notice = await screen.findByRole('complementary', { name: 'Subscription' })
    await waitFor(() => expect(notice).toHaveTextContent(words))
    expect(within(notice).getByRole('link', { name: 'Billing' })).toHaveAttribute('href', '/app/billing')
  })

  it('is hidden while the subscription is fine', async () => {
    renderApp('/app/billing')
    await screen.findByText('Complete Package')
    expect(screen.queryByRole('complementary', { name: 'Subscription' })).not.toBeInTheDocument()
  })
})
