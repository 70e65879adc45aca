// Card payments in the settings: connected with a key that Stripe takes, told where to send its news, disconnected.
import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, problemAnswer, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { CardPaymentsCard } from './card-payments-card'

const user = buildUser()
const path = `/api/org/${user.orgId}/stripe`
const off = { isSetUp: false, hint: null, isTest: false, hasWebhookSecret: false, lastEventAt: null, webhookUrl: 'https://toolbox.example/webhooks/stripe/1' }
const on = { ...off, isSetUp: true, hint: 'sk_live_…4242' }
let server: FakeServer

const sent = async () => {
  const request = server.requests.findLast((one) => one.method === 'PUT')
  return request ? ((await request.json()) as unknown) : undefined
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', path, { body: off })
})

describe('card payments', () => {
  it('are connected with a key, which is forgotten by the screen at once', async () => {
    server.on('PUT', path, { body: on })
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByRole('button', { name: 'Connect Stripe' })).toBeDisabled()
    await person.type(screen.getByLabelText(/^Secret key/), ' sk_live_51AbCdEf4242 ')
    await person.click(screen.getByRole('button', { name: 'Connect Stripe' }))
    expect(await screen.findByText('connected to Stripe with sk_live_…4242')).toBeInTheDocument()
    expect(await sent()).toEqual({ secretKey: 'sk_live_51AbCdEf4242' })
    expect(screen.getByLabelText(/^Another secret key/)).toHaveValue('')
    expect(screen.getByText('its signing secret is still missing')).toBeInTheDocument()
    expect(screen.getByText('nothing has come there yet')).toBeInTheDocument()
    expect(screen.getByText(off.webhookUrl)).toBeInTheDocument()
  })

  it('say what Stripe or the form does not take, and keep what was typed', async () => {
    server.on('PUT', path, problemAnswer(buildProblem(409, 'conflict', { detail: 'Stripe does not know this key.' })))
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    await person.type(await screen.findByLabelText(/^Secret key/), 'sk_live_51Wrong4242')
    await person.click(screen.getByRole('button', { name: 'Connect Stripe' }))
    expect(await screen.findByText('Stripe does not know this key.')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Secret key/)).toHaveValue('sk_live_51Wrong4242')
    server.on('PUT', path, problemAnswer(buildProblem(422, 'validation_failed', { errors: { secretKey: 'Please paste the secret key: it begins with sk_ or rk_' } })))
    await person.click(screen.getByRole('button', { name: 'Connect Stripe' }))
    expect(await screen.findByText('Please paste the secret key: it begins with sk_ or rk_')).toBeInTheDocument()
  })

  it('are disconnected only after a word of warning', async () => {
    server.on('GET', path, { body: { ...on, isTest: true, hasWebhookSecret: true, lastEventAt: '2026-11-20T16:00:00.000Z' } })
    server.on('DELETE', path, { body: off })
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('This is a test key')).toBeInTheDocument()
    expect(screen.getByText(/^seen working, last received/)).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Disconnect' }))
    await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Disconnect' }))
    expect(await screen.findByRole('button', { name: 'Connect Stripe' })).toBeInTheDocument()
  })

  it('say how the books stand beside Stripe, and what to look at', async () => {
    const look = { finishedAt: '2026-11-20T09:00:00.000Z', isRunning: false, agreed: 12, unread: ['payouts'], differences: [{ leadId: null, text: 'Payment pi_1: Stripe holds $1.00, your books say $2.00. Compare it with Stripe.', foundAt: '2026-11-20T09:00:00.000Z' }] }
    server.on('GET', path, { body: { ...on, reconciliation: look } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText(/^12 payments agree, compared/)).toBeInTheDocument()
    expect(screen.getByText(/Let it read in Stripe: payouts/)).toBeInTheDocument()
    expect(within(screen.getByRole('list', { name: 'Differences' })).getByText(/Stripe holds \$1.00/)).toBeInTheDocument()
  })

  it('are shown to the office, and changed by the owner alone', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('Only the owner can change this.')).toBeInTheDocument()
    expect(screen.queryByRole('form')).not.toBeInTheDocument()
  })
})
