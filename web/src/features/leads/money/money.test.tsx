import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { getZoneDay } from '@/lib/format/zone-time'
import { buildLead, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { pickQuickAction } from '@/testing/open-lead'
import { buildMoney, buildPayment } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

const id = '3f2a9c1e-0000-4000-8000-000000000001'
const paidPath = `/api/leads/${id}/paid`
let server: FakeServer

const answerLead = (parts: Partial<Schema['LeadDetail']> = {}) =>
  server.on('GET', `/api/leads/${id}`, { body: buildLeadDetail({ id, ...parts }) })
const answerMoney = (parts: Partial<Schema['LeadMoney']>) =>
  server.on('GET', `/api/leads/${id}/money`, { body: buildMoney(parts) })

/** The payment is taken: the lead and its money are what they become by it. */
function answerPaid(money: Partial<Schema['LeadMoney']>, payment = buildPayment()) {
  server.on('POST', paidPath, () => {
    answerLead({ stage: 'Paid', paidAt: '2026-11-20T16:00:00.000Z', collectedAmount: payment.amount })
    answerMoney({ ...money, payments: [payment] })
    return {
      body: { ...buildMoney({ ...money, payments: [payment] }), payment, lead: buildLead({ id, stage: 'Paid' }) },
    }
  })
}

async function openDialog() {
  const app = renderApp(`/app/leads/${id}?tab=money`)
  await pickQuickAction(app.user, 'Mark as Paid')
  const dialog = within(await screen.findByRole('dialog', { name: 'Mark as Paid' }))
  const amount = await dialog.findByLabelText(/^Amount/)
  return { app, dialog, amount, mark: () => app.user.click(dialog.getByRole('button', { name: 'Mark as Paid' })) }
}

async function card() {
  const section = (await screen.findByRole('heading', { name: 'Money' })).closest('section')
  if (!section) throw new Error('Money is no card')
  return within(section)
}

const sent = async (path: string) => {
  const request = server.requests.findLast(({ method, url }) => method === 'POST' && new URL(url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeAll(() =>
  Promise.all([
    loadLeadScreens(),
    import('./payment-dialog'),
    import('@/features/ledger/refund-dialog'),
    import('@/features/ledger/settle-dialog'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', `/api/leads/${id}/estimates`, { body: [] })
  answerLead()
})

describe('estimate that is not approved', () => {
  it('is no debt, and its payment dialog calls it quoted', async () => {
    answerMoney({ agreed: 350, owed: 350, owedApproved: 0 })
    const { dialog } = await openDialog()
    expect(dialog.getByText(/^Quoted and not paid:/)).toHaveTextContent('$350')
    const owed = (await card()).getByText('Owed').closest('div')
    expect(owed).toHaveTextContent('$0.00')
  })
})

describe('card payments', () => {
  it('unallocated: shown as a credit with a one-tap refund', async () => {
    const payment = buildPayment({ id: 'p-1', amount: 107, method: 'card', by: null })
    answerMoney({ collected: 107, credit: 107, giveBack: { paymentId: 'p-1', amount: 107 }, payments: [payment] })
    server.on('POST', '/api/payments/p-1/refund', {
      body: { ...buildMoney({}), payment: buildPayment({ id: 'p-2', kind: 'refund', status: 'pending' }) },
    })
    const { user } = renderApp(`/app/leads/${id}?tab=money`)
    const money = await card()
    expect(await money.findByText('Credit of $107.00')).toBeInTheDocument()
    await user.click(money.getByRole('button', { name: 'Give back $107.00' }))
    await waitFor(async () =>
      expect(await sent('/api/payments/p-1/refund')).toEqual({
        amount: 107,
        method: 'card',
        note: 'Credit given back',
      }),
    )
  })

  it('uncertain and test payments: say so', async () => {
    const doubt = buildPayment({ id: 'p-2', kind: 'refund', status: 'unknown' })
    const test = buildPayment({ id: 'p-3', status: 'test', method: 'card', by: null, number: null })
    answerMoney({ payments: [doubt, test] })
    renderApp(`/app/leads/${id}?tab=money`)
    const money = await card()
    expect(await money.findByText('In doubt')).toBeInTheDocument()
    expect(money.getByText(/do not give the money back a second time/)).toBeInTheDocument()
    expect(money.getByText('Test, no real money')).toBeInTheDocument()
    expect(money.queryByRole('button', { name: 'Mark as refunded' })).not.toBeInTheDocument()
  })

  it.each(['pending', 'unknown', 'failed'] as const)('refund %s: no receipt offered', async (status) => {
    answerMoney({ payments: [buildPayment({ kind: 'refund', status, refundable: 0 })] })
    renderApp(`/app/leads/${id}?tab=money`)
    const money = await card()
    expect(await money.findByText('Refund')).toBeInTheDocument()
    expect(money.queryByRole('button', { name: 'Receipt' })).not.toBeInTheDocument()
    expect(money.queryByRole('button', { name: 'Email it' })).not.toBeInTheDocument()
  })

  it('failed refund: names the part refunded another way', async () => {
    const alreadyReturned = 'It has gone back already (refunded in Stripe). Do not give it back again.'
    answerMoney({ payments: [buildPayment({ kind: 'refund', status: 'failed', refundable: 0, alreadyReturned })] })
    renderApp(`/app/leads/${id}?tab=money`)
    expect(await (await card()).findByText(alreadyReturned)).toBeInTheDocument()
  })

  it('refunded payment: receipt of the refund only', async () => {
    answerMoney({
      payments: [
        buildPayment({ id: 'p-2', kind: 'refund', number: 'RCP-1002', refundable: 0, refundOf: 'p-1' }),
        buildPayment({ id: 'p-1', refundable: 0 }),
      ],
    })
    renderApp(`/app/leads/${id}?tab=money`)
    const money = await card()
    expect(await money.findByText('Refund')).toBeInTheDocument()
    expect(money.getAllByRole('button', { name: 'Receipt' })).toHaveLength(1)
  })

  it('refused key: one message for refund and write-off', async () => {
    const refund = buildPayment({
      id: 'p-2',
      kind: 'refund',
      status: 'unknown',
      amount: 50,
      refundable: 0,
      markable: false,
      keyRefused: true,
    })
    answerMoney({
      payments: [
        buildPayment({ id: 'p-3', kind: 'write_off', status: 'unknown', amount: 50, number: null, refundable: 0 }),
        refund,
      ],
    })
    renderApp(`/app/leads/${id}?tab=money`)
    const money = await card()
    expect(
      await money.findByText(
        /We cannot ask Stripe: it refuses the key\. Put a new key in Settings, and it settles by itself\.$/,
      ),
    ).toBeInTheDocument()
    expect(money.getByText('It counts once it is clear that the refund was made.')).toBeInTheDocument()
    expect(money.queryByText(/We keep asking Stripe/)).not.toBeInTheDocument()
    expect(money.queryByRole('button', { name: 'Mark as refunded' })).not.toBeInTheDocument()
  })

  it.each([
    ['refunded', 'Mark as refunded', 'Marked as refunded', /\$50\.00 count as given back/],
    ['not_refunded', 'Mark as not refunded', 'Marked as not refunded', /the \$50\.00 can be given back once more/],
  ])('unverifiable refund: marked by hand as %s', async (outcome, button, done, happens) => {
    const doubt = buildPayment({
      id: 'p-2',
      kind: 'refund',
      status: 'unknown',
      amount: 50,
      refundable: 0,
      markable: true,
    })
    answerMoney({ payments: [doubt] })
    server.on('POST', '/api/refunds/p-2/settle', {
      body: { ...buildMoney({}), payment: { ...doubt, status: 'settled', markable: false } },
    })
    const { user } = renderApp(`/app/leads/${id}?tab=money`)
    const money = await card()
    expect(await money.findByText(/Look it up in Stripe, then mark it here/)).toBeInTheDocument()
    await user.click(money.getByRole('button', { name: button }))
    const dialog = within(await screen.findByRole('dialog', { name: `${button}?` }))
    expect(dialog.getByText(happens)).toBeInTheDocument()
    await user.type(dialog.getByLabelText(/^Note/), 'Seen in Stripe')
    await user.click(dialog.getByRole('button', { name: button }))
    expect(await screen.findByText(done)).toBeInTheDocument()
    expect(await sent('/api/refunds/p-2/settle')).toEqual({ outcome, note: 'Seen in Stripe' })
  })
})

describe('Mark as Paid', () => {
  it.each(['', '0', '-5', 'all'])('refuses the amount “%s”', async (typed) => {
    answerMoney({})
    const { app, amount, mark } = await openDialog()
    if (typed !== '') await app.user.type(amount, typed)
    await mark()
    expect(await screen.findByText('Invalid Amount')).toBeInTheDocument()
    expect(screen.getAllByText('Please enter a valid payment amount')).toHaveLength(2)
    expect(await sent(paidPath)).toBeUndefined()
  })

  it('records today’s payment with a toast, and shows the lead as paid', async () => {
    answerMoney({ agreed: 1250, owed: 1250 })
    answerPaid({ agreed: 1250, collected: 1250 }, buildPayment({ amount: 1250 }))
    const { app, dialog, amount, mark } = await openDialog()
    const today = getZoneDay('America/Chicago', Date.now())
    expect(dialog.getByLabelText(/^Payment date/)).toHaveValue(today)
    await app.user.click(dialog.getByRole('button', { name: 'All of it' }))
    expect(amount).toHaveValue('1250.00')
    await app.user.click(dialog.getByRole('radio', { name: 'Check' }))
    await app.user.type(dialog.getByLabelText(/^Reference/), 'Check 204')
    await mark()
    expect(await screen.findByText('Payment Recorded')).toBeInTheDocument()
    expect(screen.getByText('Lead has been marked as paid')).toBeInTheDocument()
    expect(await sent(paidPath)).toEqual({
      amount: 1250,
      date: today,
      method: 'check',
      reference: 'Check 204',
      receipt: true,
    })
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('tab', { name: 'Details' }))
    const information = (await screen.findByRole('heading', { name: 'Lead Information' })).closest('section')
    expect(information).toHaveTextContent('Collected amount$1,250')
    expect(information).toHaveTextContent(/Paid dateNov 20, 2026/)
  })

  it('partial payment: asks, and keeps the rest open when chosen', async () => {
    answerMoney({ agreed: 1250, owed: 1250 })
    answerPaid({ agreed: 1250, collected: 350, owed: 900 })
    const { app, dialog, amount, mark } = await openDialog()
    await app.user.type(amount, '350')
    await mark()
    expect(await dialog.findByText('$900.00 of $1,250.00 would stay open.')).toBeInTheDocument()
    expect(await sent(paidPath)).toBeUndefined()
    await app.user.click(dialog.getByRole('button', { name: 'Record partial payment' }))
    expect(await screen.findByText('$350.00 recorded, $900.00 still open.')).toBeInTheDocument()
    expect(await sent(paidPath)).toMatchObject({ amount: 350, partial: true })
  })

  it('partial payment: writes the rest off when chosen, and asks again for another amount', async () => {
    answerMoney({ agreed: 1250, owed: 1250 })
    answerPaid({ agreed: 1250, collected: 1200, writtenOff: 50 })
    const { app, dialog, amount, mark } = await openDialog()
    await app.user.type(amount, '350')
    await mark()
    expect(await dialog.findByText(/^\$900\.00 of/)).toBeInTheDocument()
    await app.user.clear(amount)
    await app.user.type(amount, '1200')
    expect(dialog.queryByText(/would stay open/)).not.toBeInTheDocument()
    await mark()
    expect(await dialog.findByText('$50.00 of $1,250.00 would stay open.')).toBeInTheDocument()
    await mark()
    expect(await screen.findByText('Lead has been marked as paid')).toBeInTheDocument()
    expect(await sent(paidPath)).not.toHaveProperty('partial')
  })

  it('failure: keeps the input and explains', async () => {
    answerMoney({})
    server.on(
      'POST',
      paidPath,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', {
          detail: 'Some fields need another look.',
          errors: { date: 'That day is not here yet' },
        }),
      ),
    )
    const { app, dialog, amount, mark } = await openDialog()
    await app.user.type(amount, '80')
    await mark()
    expect(await screen.findByText('Payment not recorded')).toBeInTheDocument()
    expect(await dialog.findByText('That day is not here yet')).toBeInTheDocument()
    expect(amount).toHaveValue('80')
  })

  it('stays closed while the balance is unknown', async () => {
    server.on('GET', `/api/leads/${id}/money`, buildProblemResponse(buildProblem(500, 'internal')))
    const app = renderApp(`/app/leads/${id}?tab=money`)
    await pickQuickAction(app.user, 'Mark as Paid')
    const dialog = within(await screen.findByRole('dialog', { name: 'Mark as Paid' }))
    expect(await dialog.findByText('Money could not be loaded')).toBeInTheDocument()
    expect(dialog.queryByLabelText(/^Amount/)).not.toBeInTheDocument()
  })
})

describe('money card', () => {
  it('shows the share agreed by change orders', async () => {
    answerMoney({ agreed: 1600, changeOrders: 350, owed: 1600 })
    renderApp(`/app/leads/${id}?tab=money`)
    expect((await (await card()).findByText('Of it change orders')).parentElement).toHaveTextContent('$350.00')
  })

  it('empty: says so', async () => {
    answerMoney({})
    renderApp(`/app/leads/${id}?tab=money`)
    expect(await (await card()).findByText('Nothing is agreed or paid yet.')).toBeInTheDocument()
  })

  it('shows agreed, collected and owed, with each payment', async () => {
    answerMoney({
      agreed: 1250,
      collected: 300,
      refunded: 50,
      owed: 950,
      payments: [buildPayment({ kind: 'refund', amount: 50, number: null, refundable: 0 }), buildPayment()],
    })
    renderApp(`/app/leads/${id}?tab=money`)
    const inside = await card()
    expect(await inside.findByText('$1,250.00')).toBeInTheDocument()
    expect(inside.getByText('$950.00')).toBeInTheDocument()
    const [refund, payment] = within(inside.getByRole('list', { name: 'Payments' })).getAllByRole('listitem')
    expect(refund).toHaveTextContent(/^Refund−\$50\.00/)
    expect(payment).toHaveTextContent(/^Payment RCP-1001\$350\.00Check, Check 204, Nov 20, 2026, by Olivia Owner/)
  })

  it('payment: undone within the minute, not later', async () => {
    const until = (inMs: number) => ({ undoable: true, undoUntil: new Date(Date.now() + inMs).toISOString() })
    const [payment, late] = [buildPayment(until(40_000)), buildPayment(until(-1000))]
    answerMoney({ collected: 350, payments: [payment, late] })
    server.on('POST', `/api/payments/${payment.id}/undo`, () => {
      answerMoney({})
      return { body: buildMoney() }
    })
    const app = renderApp(`/app/leads/${id}?tab=money`)
    const [undo, ...others] = await (await card()).findAllByRole('button', { name: 'Undo' })
    expect(others).toEqual([])
    if (!undo) throw new Error('There is no Undo')
    await app.user.click(undo)
    expect(await screen.findByText('Payment undone')).toBeInTheDocument()
    expect((await card()).getByText('Nothing is agreed or paid yet.')).toBeInTheDocument()
  })

  it('payment: refunded in part', async () => {
    const payment = buildPayment()
    answerMoney({ collected: 350, payments: [payment] })
    const refund = buildPayment({ kind: 'refund', undoable: true })
    server.on('POST', `/api/payments/${payment.id}/refund`, { body: { ...buildMoney(), payment: refund } })
    const app = renderApp(`/app/leads/${id}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Refund' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Refund this payment?' }))
    const amount = dialog.getByLabelText(/^Amount/)
    expect(amount).toHaveValue('350.00')
    await app.user.clear(amount)
    await app.user.type(amount, '100')
    await app.user.click(dialog.getByRole('button', { name: 'Record refund' }))
    expect(await screen.findByText('Refund recorded')).toBeInTheDocument()
    expect(await sent(`/api/payments/${payment.id}/refund`)).toEqual({ amount: 100, method: 'check', forgive: true })
    server.on('POST', `/api/payments/${refund.id}/undo`, { body: buildMoney() })
    await app.user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Payment undone')).toBeInTheDocument()
  })

  it('card payment: refunded to the card instead of undone', async () => {
    const payment = buildPayment({
      method: 'card',
      by: null,
      undoable: true,
      undoUntil: new Date(Date.now() + 50_000).toISOString(),
    })
    answerMoney({ collected: 350, payments: [payment] })
    server.on('POST', `/api/payments/${payment.id}/refund`, {
      body: { ...buildMoney(), payment: buildPayment({ kind: 'refund', status: 'pending' }) },
    })
    const app = renderApp(`/app/leads/${id}?tab=money`)
    const inside = await card()
    const refund = await inside.findByRole('button', { name: 'Refund' })
    expect(inside.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
    await app.user.click(refund)
    const dialog = within(await screen.findByRole('dialog', { name: 'Refund this payment?' }))
    expect(dialog.getByText(/^Stripe sends the money back/)).toBeInTheDocument()
    await app.user.click(dialog.getByRole('radio', { name: 'Cash' }))
    expect(dialog.getByRole('button', { name: 'Record refund' })).toBeInTheDocument()
    await app.user.click(dialog.getByRole('radio', { name: 'Card' }))
    await app.user.click(dialog.getByRole('button', { name: 'Refund to the card' }))
    expect(await screen.findByText('Refund on its way')).toBeInTheDocument()
  })

  it('payment: receipt can be downloaded and sent', async () => {
    const payment = buildPayment()
    const saved = vi.fn<(name: string) => void>()
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved(this.download)
    })
    answerMoney({ collected: 350, payments: [payment] })
    server.on('GET', `/api/payments/${payment.id}/receipt`, {
      body: '%PDF',
      headers: { 'Content-Disposition': 'attachment; filename="Receipt RCP-1001.pdf"' },
    })
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
    const app = renderApp(`/app/leads/${id}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Receipt' }))
    await waitFor(() => expect(saved).toHaveBeenCalledWith('Receipt RCP-1001.pdf'))
    await app.user.click((await card()).getByRole('button', { name: 'Email it' }))
    expect(await screen.findByText('Receipt on its way')).toBeInTheDocument()
  })

  it('receipt saved as a file: not called sent', async () => {
    const payment = buildPayment({ amount: 350, number: 'RCP-1001' })
    answerMoney({ collected: 350, payments: [payment] })
    const outlook = { state: 'filed', text: 'saved as a file: email is not set up', until: null }
    server.on('POST', `/api/payments/${payment.id}/receipt`, {
      status: 202,
      body: { sent: [{ channel: 'email', messageId: 'm1', to: 'ana@home.test', outlook }], notSent: [] },
    })
    const app = renderApp(`/app/leads/${id}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Email it' }))
    expect(await screen.findByText('Receipt not sent yet')).toBeInTheDocument()
    expect(screen.getByText('Email saved as a file: email is not set up.')).toBeInTheDocument()
  })
})
