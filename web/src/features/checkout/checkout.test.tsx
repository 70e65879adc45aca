import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

const MONTHLY: Schema['Offer'] = { plan: 'monthly', setupFee: 2500, firstPayment: 350, totalToday: 2850 }
const SIX_MONTHS: Schema['Offer'] = { plan: 'six_months', setupFee: 2000, firstPayment: 2100, totalToday: 4100 }
const NOT_CONFIGURED = 'Payment processing is not configured yet. Please contact support to complete your setup.'
let server: FakeServer

function offers(parts: Partial<Schema['Checkout']> = {}) {
  server.on('GET', '/api/checkout', {
    body: {
      isSetUp: false,
      publishableKey: null,
      offers: [MONTHLY],
      supportEmail: null,
      ...parts,
    } satisfies Schema['Checkout'],
  })
}

function begins(clientSecret: string | null) {
  server.on('POST', '/api/create-subscription', {
    status: 201,
    body: { id: buildId(), reference: 'a1b2c3d4', clientSecret } satisfies Schema['SubscriptionBegun'],
  })
}

async function fill(app: ReturnType<typeof renderApp>) {
  await app.user.type(await screen.findByLabelText(/^Business Name/), 'Roofs & Co')
  await app.user.type(screen.getByLabelText(/^Your Name/), 'Rita Roof')
  await app.user.type(screen.getByLabelText(/^Phone Number/), '(512) 555-0142')
  await app.user.type(screen.getByLabelText(/^Email Address/), 'rita@roofs.test')
  await app.user.type(screen.getByLabelText(/^Industry/), 'Roofing')
}

const press = (app: ReturnType<typeof renderApp>) =>
  app.user.click(screen.getByRole('button', { name: 'Request A Demo' }))

/** The amount beside each label of the totals. */
const sums = () =>
  screen.getAllByRole('term').map((term) => `${term.textContent} ${term.nextElementSibling?.textContent}`)

beforeAll(() => import('./checkout.route'))

beforeEach(() => {
  server = startFakeServer()
})

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'Stripe')
})

describe('checkout without Stripe keys', () => {
  it('takes the request, shows the price, and explains the next steps', async () => {
    offers()
    begins(null)
    const app = renderApp('/checkout')
    expect(await screen.findByRole('heading', { name: 'Request a Demo' })).toBeInTheDocument()
    expect(screen.queryByRole('radio')).not.toBeInTheDocument()
    await fill(app)
    await press(app)
    expect(await screen.findByRole('heading', { name: 'Complete Your Setup' })).toBeInTheDocument()
    expect(sums()).toEqual(['Setup Fee $2,500.00', 'First Month $350.00', 'Total Today $2,850.00'])
    expect(screen.getByText(NOT_CONFIGURED)).toBeInTheDocument()
    const sent = server.requests.find(({ method }) => method === 'POST')
    expect(await sent?.json()).toEqual({
      orgName: 'Roofs & Co',
      name: 'Rita Roof',
      phone: '(512) 555-0142',
      email: 'rita@roofs.test',
      industry: 'Roofing',
      plan: 'monthly',
    })
  })

  it('names missing fields and sends nothing', async () => {
    offers()
    const app = renderApp('/checkout')
    await screen.findByRole('heading', { name: 'Request a Demo' })
    await press(app)
    expect(await screen.findByLabelText(/^Business Name/)).toHaveAccessibleDescription('Business name is required')
    expect(screen.getByLabelText(/^Email Address/)).toHaveAccessibleDescription('Email is required')
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
  })

  it('keeps the input when the request fails', async () => {
    offers()
    server.on(
      'POST',
      '/api/create-subscription',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'We cannot do this right now.' })),
    )
    const app = renderApp('/checkout')
    await fill(app)
    await press(app)
    expect(await screen.findByText('Request Failed')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Business Name/)).toHaveValue('Roofs & Co')
  })
})

describe('checkout with Stripe keys', () => {
  const mount = vi.fn<(place: HTMLElement) => void>()
  const confirmPayment =
    vi.fn<(options: unknown) => Promise<{ error?: { message: string }; paymentIntent?: { status: string } }>>()

  beforeEach(() => {
    offers({ isSetUp: true, publishableKey: 'pk_test_1', offers: [MONTHLY, SIX_MONTHS] })
    begins('pi_1_secret_2')
    mount.mockReset()
    confirmPayment.mockReset()
    const on = (event: string, tell: () => void) => {
      if (event === 'ready') queueMicrotask(tell)
    }
    Reflect.set(globalThis, 'Stripe', () => ({
      elements: () => ({ create: () => ({ mount, on, destroy: () => undefined }) }),
      confirmPayment,
    }))
  })

  it('shows Stripe’s form, returns to it after a refusal, and thanks after success', async () => {
    confirmPayment
      .mockResolvedValueOnce({ error: { message: 'Your card was declined.' } })
      .mockResolvedValueOnce({ paymentIntent: { status: 'succeeded' } })
    const app = renderApp('/checkout')
    await fill(app)
    await press(app)
    const pay = await screen.findByRole('button', { name: 'Pay $2,850.00' })
    expect(mount).toHaveBeenCalledOnce()
    expect(screen.queryByText(NOT_CONFIGURED)).not.toBeInTheDocument()
    await app.user.click(pay)
    expect(await screen.findByText('Your card was declined.')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Pay $2,850.00' }))
    expect(await screen.findByRole('heading', { name: 'Thank you: your payment has arrived' })).toBeInTheDocument()
    expect(screen.getByText('rita@roofs.test')).toBeInTheDocument()
  })

  it('shows neither thanks nor a second payment while the bank has not confirmed', async () => {
    confirmPayment
      .mockResolvedValueOnce({ paymentIntent: { status: 'requires_action' } })
      .mockResolvedValueOnce({ paymentIntent: { status: 'processing' } })
    const app = renderApp('/checkout')
    await fill(app)
    await press(app)
    await app.user.click(await screen.findByRole('button', { name: 'Pay $2,850.00' }))
    expect(await screen.findByText(/^Your bank asks you for a confirmation that was not given/)).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Pay $2,850.00' }))
    expect(
      await screen.findByRole('heading', { name: 'Your bank has not confirmed the payment yet' }),
    ).toBeInTheDocument()
    expect(screen.getByText(/^Do not pay again\./)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /^Pay/ })).not.toBeInTheDocument()
    expect(screen.queryByText(/your payment has arrived/)).not.toBeInTheDocument()
  })

  it('hides setup fee and saving for returning customers', async () => {
    offers({
      isSetUp: true,
      publishableKey: 'pk_test_1',
      offers: [
        { ...MONTHLY, setupFee: 0, totalToday: 350 },
        { ...SIX_MONTHS, setupFee: 0, totalToday: 2100 },
      ],
    })
    const app = renderApp('/checkout')
    await fill(app)
    expect(screen.queryByText(/\d setup/)).not.toBeInTheDocument()
    expect(screen.queryByText(/you save/)).not.toBeInTheDocument()
    await press(app)
    expect(await screen.findByRole('button', { name: 'Pay $350.00' })).toBeInTheDocument()
    expect(sums()).toEqual(['First Month $350.00', 'Total Today $350.00'])
  })

  it('offers six months at once with the saving', async () => {
    const app = renderApp('/checkout')
    await fill(app)
    const choice = within(screen.getByRole('group', { name: 'How you pay' }))
    await app.user.click(choice.getByRole('radio', { name: /^Six months up front: \$2,100.*you save \$500/ }))
    await press(app)
    await screen.findByRole('heading', { name: 'Complete Your Setup' })
    expect(sums()).toEqual(['Setup Fee $2,000.00', 'First Six Months $2,100.00', 'Total Today $4,100.00'])
  })

  it('stays on the form when no payment secret arrives', async () => {
    begins(null)
    const app = renderApp('/checkout')
    await fill(app)
    await press(app)
    expect(await screen.findByRole('status', { name: 'Loading the payment' })).toBeInTheDocument()
    expect(screen.queryByText(NOT_CONFIGURED)).not.toBeInTheDocument()
  })

  it('thanks after the bank redirect, and offers a retry after a refusal', async () => {
    const { unmount } = renderApp('/checkout?redirect_status=succeeded')
    expect(await screen.findByRole('heading', { name: 'Thank you: your payment has arrived' })).toBeInTheDocument()
    unmount()
    const waiting = renderApp('/checkout?redirect_status=processing')
    expect(
      await screen.findByRole('heading', { name: 'Your bank has not confirmed the payment yet' }),
    ).toBeInTheDocument()
    waiting.unmount()
    renderApp('/checkout?redirect_status=failed')
    await waitFor(() => expect(screen.getByText('The payment did not go through')).toBeInTheDocument())
  })
})
