import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { CardPaymentsCard } from './card-payments-card'

const user = buildUser()
const path = `/api/org/${user.orgId}/stripe`
const notOffered = { isOffered: false, state: 'none', account: null, requirementsDue: 0, endedAt: null }
const off = {
  connect: notOffered,
  isSetUp: false,
  hint: null,
  isTest: false,
  hasWebhookSecret: false,
  lastEventAt: null,
  webhookUrl: 'https://toolbox.example/webhooks/stripe/1',
}
const on = { ...off, isSetUp: true, hint: 'sk_live_…4242' }
const offered = (parts: object = {}) => ({ ...off, connect: { ...notOffered, isOffered: true, ...parts } })
const ready = {
  ...offered({ state: 'ready', account: 'acct_1' }),
  isSetUp: true,
  hint: 'acct_1',
  hasWebhookSecret: true,
}
let server: FakeServer

const sent = async () => {
  const request = server.requests.findLast((one) => one.method === 'PUT')
  return request ? ((await request.json()) as unknown) : undefined
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', path, { body: off })
  server.on('GET', '/api/trust', { body: { level: 'trusted', steps: [], next: null, budgets: [], takesMoney: false } })
})

describe('card payments', () => {
  it('connect with a key, which the screen forgets at once', async () => {
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

  it('show the address for Stripe before the signing secret is asked for', async () => {
    renderSignedIn(<CardPaymentsCard />)
    const form = await screen.findByRole('form', { name: 'Keys of Stripe' })
    const address = within(form).getByRole('button', { name: 'Copy the address for Stripe' })
    const secret = within(form).getByLabelText(/^Signing secret/)
    expect(address.compareDocumentPosition(secret) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
    expect(form).toHaveTextContent(off.webhookUrl)
  })

  it('show Stripe and form errors, and keep the input', async () => {
    server.on(
      'PUT',
      path,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Stripe does not know this key.' })),
    )
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    await person.type(await screen.findByLabelText(/^Secret key/), 'sk_live_51Wrong4242')
    await person.click(screen.getByRole('button', { name: 'Connect Stripe' }))
    expect(await screen.findByText('Stripe does not know this key.')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Secret key/)).toHaveValue('sk_live_51Wrong4242')
    server.on(
      'PUT',
      path,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', {
          errors: { secretKey: 'Please paste the secret key: it begins with sk_ or rk_' },
        }),
      ),
    )
    await person.click(screen.getByRole('button', { name: 'Connect Stripe' }))
    expect(await screen.findByText('Please paste the secret key: it begins with sk_ or rk_')).toBeInTheDocument()
  })

  it('disconnect after a confirmation', async () => {
    server.on('GET', path, {
      body: { ...on, isTest: true, hasWebhookSecret: true, lastEventAt: '2026-11-20T16:00:00.000Z' },
    })
    server.on('DELETE', path, { body: off })
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('This is a test key')).toBeInTheDocument()
    expect(screen.getByText(/^seen working, last received/)).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Disconnect' }))
    await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Disconnect' }))
    expect(await screen.findByRole('button', { name: 'Connect Stripe' })).toBeInTheDocument()
  })

  it('show the Stripe reconciliation', async () => {
    const look = {
      finishedAt: '2026-11-20T09:00:00.000Z',
      isRunning: false,
      agreed: 12,
      unread: ['payouts'],
      differences: [
        {
          key: 'balance:pi_1:100:200',
          leadId: null,
          text: 'Payment pi_1: Stripe holds $1.00, your books say $2.00. Compare it with Stripe.',
          foundAt: '2026-11-20T09:00:00.000Z',
        },
      ],
      settled: [],
      notCompared: [],
    }
    server.on('GET', path, { body: { ...on, reconciliation: look } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText(/^12 payments agree, compared/)).toBeInTheDocument()
    expect(screen.getByText(/Let it read in Stripe: payouts/)).toBeInTheDocument()
    expect(
      within(screen.getByRole('list', { name: 'Differences' })).getByText(/Stripe holds \$1.00/),
    ).toBeInTheDocument()
  })

  it('name the payments of a former account that are not compared', async () => {
    const look = { finishedAt: null, isRunning: false, agreed: 0, unread: [], differences: [], settled: [] }
    const left = { account: 'acct_1', payments: 2, amount: 600, since: '2026-11-20T18:00:00.000Z' }
    const unnamed = { account: null, payments: 1, amount: 5, since: null }
    server.on('GET', path, { body: { ...on, reconciliation: { ...look, notCompared: [left, unnamed] } } })
    renderSignedIn(<CardPaymentsCard />)
    const where = 'Look in that account for refunds and chargebacks.'
    expect(
      await screen.findByText(
        `2 payments ($600.00) of a former Stripe account (acct_1) are not compared since Nov 20, 2026. ${where}`,
      ),
    ).toBeInTheDocument()
    expect(
      screen.getByText(`1 payment ($5.00) of a former Stripe account is no longer compared. ${where}`),
    ).toBeInTheDocument()
  })

  it('refresh the list after a settlement is refused because the amount changed', async () => {
    const at = '2026-11-20T09:00:00.000Z'
    const differing = (amount: number) => ({
      key: `balance:pi_1:100:${amount}`,
      leadId: null,
      text: `Your books say $${amount}.`,
      foundAt: at,
    })
    const look = { finishedAt: at, isRunning: false, agreed: 12, unread: [], settled: [], notCompared: [] }
    server.on('GET', path, { body: { ...on, reconciliation: { ...look, differences: [differing(200)] } } })
    server.on('POST', `${path}/differences/settle`, buildProblemResponse(buildProblem(404, 'not_found')))
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    await person.click(await screen.findByRole('button', { name: 'Mark as settled' }))
    server.on('GET', path, { body: { ...on, reconciliation: { ...look, differences: [differing(300)] } } })
    const dialog = within(screen.getByRole('dialog'))
    await person.click(dialog.getByRole('button', { name: 'Mark as settled' }))
    expect(await dialog.findByText(/^Its amount has changed\./)).toBeInTheDocument()
    expect(await screen.findByText('Your books say $300.')).toBeInTheDocument()
  })

  it('let a person settle a difference with a note, and undo it', async () => {
    const text = 'Payment pi_1: Stripe holds $1.00, your books say $2.00. Compare it with Stripe.'
    const at = '2026-11-20T09:00:00.000Z'
    const key = 'balance:pi_1:100:200'
    const look = { finishedAt: at, isRunning: false, agreed: 12, unread: [], notCompared: [] }
    const openOne = { key, leadId: null, text, foundAt: at }
    const open = { ...on, reconciliation: { ...look, differences: [openOne], settled: [] } }
    const settledOne = { key, leadId: null, text, settledAt: at, settledBy: 'Pat Doe', note: 'Booked as cash' }
    const settled = { ...on, reconciliation: { ...look, differences: [], settled: [settledOne] } }
    server.on('GET', path, { body: open })
    server.on('POST', `${path}/differences/settle`, { body: settled })
    server.on('POST', `${path}/differences/reopen`, { body: open })
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    const opener = await screen.findByRole('button', { name: 'Mark as settled' })
    expect(opener).toHaveAccessibleDescription(text)
    await person.click(opener)
    const dialog = within(screen.getByRole('dialog'))
    await person.type(dialog.getByLabelText(/^Note/), ' Booked as cash ')
    await person.click(dialog.getByRole('button', { name: 'Mark as settled' }))
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Your books and Stripe' })).toHaveFocus())
    await person.click(await screen.findByText('Settled differences (1)'))
    expect(screen.queryByRole('list', { name: 'Differences' })).not.toBeInTheDocument()
    expect(screen.getByText(/^Settled .* by Pat Doe$/)).toBeInTheDocument()
    expect(screen.getByText(/^12 payments agree \(1 settled\), compared/)).toBeInTheDocument()
    expect(screen.getByText('Note: Booked as cash')).toBeInTheDocument()
    const posted = server.requests.findLast((one) => one.method === 'POST')
    expect(await posted?.json()).toEqual({ key, note: 'Booked as cash' })
    const undo = screen.getByRole('button', { name: 'Undo' })
    expect(undo).toHaveAccessibleDescription(text)
    await person.click(undo)
    expect(await screen.findByRole('list', { name: 'Differences' })).toBeInTheDocument()
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Your books and Stripe' })).toHaveFocus())
  })

  it('show that payments are not compared while the key may not read refunds', async () => {
    const look = {
      finishedAt: '2026-11-20T09:00:00.000Z',
      isRunning: false,
      agreed: 0,
      unread: ['refunds'],
      differences: [],
      settled: [],
      notCompared: [],
    }
    server.on('GET', path, { body: { ...on, reconciliation: look } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('not compared: your key may not read refunds')).toBeInTheDocument()
    expect(screen.getByText(/Let it read in Stripe: refunds\. Until then payments are not/)).toBeInTheDocument()
    expect(screen.queryByText(/agree, compared/)).not.toBeInTheDocument()
  })

  it.each(['keys', 'connection'])('name who can let us read what Stripe refuses: %s', async (access) => {
    const at = '2026-11-20T09:00:00.000Z'
    const unread = ['charges', 'refunds']
    const look = { finishedAt: at, isRunning: false, agreed: 0, unread, differences: [], settled: [], notCompared: [] }
    server.on('GET', path, { body: { ...(access === 'keys' ? on : ready), reconciliation: look } })
    renderSignedIn(<CardPaymentsCard />)
    const isKey = access === 'keys'
    const books = within(await screen.findByRole('region', { name: 'Your books and Stripe' }))
    expect(books.queryByText(/Ask the person who runs your Toolbox\./) === null).toBe(isKey)
    expect(books.queryByText('not compared: Stripe did not let us read refunds') === null).toBe(isKey)
    expect(books.queryByText('Your key may not read everything') !== null).toBe(isKey)
  })

  it.each([
    ['during the first comparison', { finishedAt: null, isRunning: true }],
    ['after one', { finishedAt: '2026-11-20T09:00:00.000Z', isRunning: false }],
  ])('say that nothing is compared once Stripe is disconnected %s', async (_, run) => {
    const look = { ...run, agreed: 3, unread: ['payouts'], differences: [], settled: [], notCompared: [] }
    server.on('GET', path, { body: { ...off, reconciliation: look } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('Stripe is not connected, so nothing is compared.')).toBeInTheDocument()
    expect(screen.queryByText(/^Every night|under way|agree|Let it read/)).not.toBeInTheDocument()
    expect(screen.queryByText(/^last compared/) !== null).toBe(run.finishedAt !== null)
  })

  it('refused key: shown as an error, not as connected', async () => {
    server.on('GET', path, { body: { ...on, keyRefusedAt: '2026-11-20T16:00:00.000Z' } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('Stripe refuses the key sk_live_…4242')).toBeInTheDocument()
    expect(screen.queryByText(/connected to Stripe with/)).not.toBeInTheDocument()
  })

  it('account out of reach: shown as an error that asks for no key', async () => {
    server.on('GET', path, { body: { ...ready, keyRefusedAt: '2026-11-20T16:00:00.000Z' } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText(/^Stripe does not let us reach acct_/)).toBeInTheDocument()
    expect(screen.queryByText(/connected to Stripe with|Make a new key/)).not.toBeInTheDocument()
  })

  it('are read-only for the office', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('Only the owner can change this.')).toBeInTheDocument()
    expect(screen.queryByRole('form')).not.toBeInTheDocument()
  })
})

describe('Stripe Connect account', () => {
  const connectPath = `${path}/connect`

  it('is offered first, with pasted keys folded', async () => {
    server.on('GET', path, { body: offered() })
    server.on('POST', connectPath, {
      body: { url: '#at-stripe', cards: offered({ state: 'needs_details', requirementsDue: 2 }) },
    })
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    const connect = await screen.findByRole('button', { name: 'Connect with Stripe' })
    const keys = screen.getByText('Paste keys of your Stripe account instead')
    expect(connect.compareDocumentPosition(keys)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    expect(keys.closest('details')).not.toHaveAttribute('open')
    await person.click(connect)
    await waitFor(() => expect(globalThis.location.hash).toBe('#at-stripe'))
    globalThis.location.hash = ''
    expect(await screen.findByText('Stripe still needs details')).toBeInTheDocument()
    expect(screen.getByText(/2 details are missing\. Press Continue at Stripe/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Continue at Stripe' })).toBeInTheDocument()
  })

  it('asks for a confirmed email address first', async () => {
    server.on('GET', path, { body: offered() })
    server.on('GET', '/api/trust', {
      body: { level: 'new', steps: [], next: 'Open the link.', budgets: [], takesMoney: false },
    })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('Confirm your email address first')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Connect with Stripe' })).not.toBeInTheDocument()
  })

  it('is ready after the return, and the return address is used once', async () => {
    server.on('GET', path, { body: offered({ state: 'needs_details' }) })
    server.on('POST', `${connectPath}/return`, { body: ready })
    renderSignedIn(<CardPaymentsCard />, '/app/settings?tab=money&stripe=return&state=token-1')
    expect(await screen.findByText('connected to Stripe with acct_1')).toBeInTheDocument()
    const posts = server.requests.filter((one) => one.method === 'POST')
    expect(await Promise.all(posts.map((one) => one.json() as Promise<unknown>))).toEqual([{ state: 'token-1' }])
    const news = within(screen.getByRole('region', { name: 'News from Stripe' }))
    expect(news.queryByRole('button', { name: 'Copy the address for Stripe' })).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Connect with Stripe' })).not.toBeInTheDocument()
  })

  it('invalid return: says so and what to press', async () => {
    server.on('GET', path, { body: offered({ state: 'needs_details' }) })
    server.on(
      'POST',
      `${connectPath}/return`,
      buildProblemResponse(
        buildProblem(409, 'conflict', {
          detail: 'This way back from Stripe is no longer good. Press Continue at Stripe.',
        }),
      ),
    )
    renderSignedIn(<CardPaymentsCard />, '/app/settings?tab=money&stripe=return&state=old')
    expect(
      await screen.findByText('This way back from Stripe is no longer good. Press Continue at Stripe.'),
    ).toBeInTheDocument()
  })

  it('expired Stripe page: says so', async () => {
    server.on('GET', path, { body: offered({ state: 'needs_details' }) })
    renderSignedIn(<CardPaymentsCard />, '/app/settings?tab=money&stripe=refresh')
    expect(await screen.findByText('Stripe’s page has expired')).toBeInTheDocument()
    expect(server.requests.filter((one) => one.method === 'POST')).toEqual([])
  })

  it.each([
    ['in_review', 'Stripe is checking your details', 'Continue at Stripe'],
    ['to_finish', 'Stripe has what it needs', 'Finish connecting'],
    ['restricted', 'Stripe has paused your card payments', 'Continue at Stripe'],
    ['disconnected', 'Stripe was disconnected', 'Connect with Stripe'],
  ])('shows its state: %s', async (state, title, button) => {
    server.on('GET', path, { body: offered({ state, endedAt: '2026-11-20T16:00:00.000Z' }) })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText(title)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: button })).toBeInTheDocument()
  })

  it('disconnects after explaining open pages', async () => {
    server.on('GET', path, { body: ready })
    server.on('DELETE', path, { body: offered() })
    const { user: person } = renderSignedIn(<CardPaymentsCard />)
    await person.click(await screen.findByRole('button', { name: 'Disconnect' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText(/Pay pages that are open now are closed at Stripe/)).toBeInTheDocument()
    await person.click(dialog.getByRole('button', { name: 'Disconnect' }))
    expect(await screen.findByRole('button', { name: 'Connect with Stripe' })).toBeInTheDocument()
  })

  it('is read-only for the office', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    server.on('GET', path, { body: offered({ state: 'needs_details', requirementsDue: 1 }) })
    renderSignedIn(<CardPaymentsCard />)
    expect(await screen.findByText('Stripe still needs details')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Continue at Stripe' })).not.toBeInTheDocument()
  })
})
