import { act, screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse } from '@/testing/fake-server'
import { loadJobScreens } from '@/testing/load-screens'
import { getCard, openJob, lastRequestBody, startJobServer } from '@/testing/open-job'
import { buildApproval, buildChangeOrder, buildChangeSummary } from '@/testing/paper-builders'

const JOB_ID = '3f2a9c1e-0000-4000-8000-000000000007'
const ORDERS = `/api/jobs/${JOB_ID}/change-orders`
const NONE_SENT: Schema['PaperSending'] = { sent: [], notSent: [] }

let server: FakeServer

beforeAll(() =>
  Promise.all([
    loadJobScreens(),
    import('@/features/documents/estimate/send-dialog'),
    import('@/features/documents/estimate/withdraw-dialog'),
    import('@/features/documents/estimate/verify-dialog'),
  ]),
)

beforeEach(() => {
  server = startJobServer()
  server.on('GET', /^\/api\/org\/.*\/settings$/, {
    body: {
      invoicing: {},
      estimates: {
        taxRates: [{ name: 'Sales tax', rate: 10 }],
        defaultTax: 'Sales tax',
        deposit: { kind: 'percent', value: 30 },
      },
    },
  })
  server.on('POST', `${ORDERS}/preview`, buildProblemResponse(buildProblem(503, 'unavailable')))
})

type Orders = readonly Schema['EstimateView'][]

/** The server knows these change orders; those that stand no more are on the list alone. */
function known(orders: Orders, agreed: Partial<Schema['JobAgreed']> = {}): Partial<Schema['JobDetail']> {
  server.on('GET', ORDERS, { body: orders })
  const current = orders.filter(({ status }) => status !== 'replaced' && status !== 'superseded')
  return {
    id: JOB_ID,
    changeOrders: current.map(buildChangeSummary),
    agreed: { estimate: 1250, changeOrders: 0, total: 1250, open: 0, ...agreed },
  }
}

const card = () => getCard('Change orders')
/** The rows that add up, as one reads them. */
const sums = (inside: ReturnType<typeof within>) => inside.getByText(/^(Agreed now|New total)$/).closest('dl')
const approved = (parts: Partial<Schema['EstimateView']> = {}) =>
  buildChangeOrder({
    status: 'approved',
    viewedAt: '2026-11-20T17:00:00.000Z',
    approvedAt: '2026-11-20T18:00:00.000Z',
    approval: buildApproval(),
    signedFileId: buildId(),
    ...parts,
  })

async function openDialog(parts: Partial<Schema['JobDetail']> = known([])) {
  const { job, person } = await openJob(server, parts, 'money')
  await person.click(card().getByRole('button', { name: 'Add change order' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a change order' }))
  const fill = async (label: RegExp, text: string) => {
    await person.clear(dialog.getByLabelText(label))
    await person.click(dialog.getByLabelText(label))
    await person.paste(text)
  }
  return {
    job,
    person,
    dialog,
    fill,
    send: () => person.click(dialog.getByRole('button', { name: 'Send change order' })),
  }
}

describe('change orders of a job', () => {
  it('none yet: explains them and requests none', async () => {
    await openJob(server, known([]), 'money')
    await screen.findByRole('heading', { name: 'Change orders' })
    expect(card().getByText(/^Found more to do\? .* joins the \$1,250\.00 agreed\.$/)).toBeInTheDocument()
    expect(server.requests.some(({ url }) => url.endsWith('/change-orders'))).toBe(false)
  })

  it('nothing agreed yet: links to the estimate', async () => {
    const { job } = await openJob(server, known([], { estimate: null, total: null }), 'money')
    expect(card().getByRole('link', { name: 'Make an estimate' })).toHaveAttribute('href', `/app/leads/${job.leadId}`)
    expect(card().queryByRole('button', { name: 'Add change order' })).not.toBeInTheDocument()
  })

  it('show the agreed amount, each state and signer, with earlier versions folded', async () => {
    const open = buildChangeOrder({
      number: 'CO-1002',
      total: 200,
      content: {
        title: 'Second outlet',
        lines: [{ id: '1', name: 'Outlet', quantity: 2, unit: 'each', unitPrice: 100 }],
      },
    })
    await openJob(
      server,
      {
        ...known([open, approved({ number: 'CO-1001-2', version: 2 }), buildChangeOrder({ status: 'replaced' })], {
          changeOrders: 350,
          total: 1600,
          open: 200,
        }),
        estimateTotal: 1600,
        balanceDue: 1600,
      },
      'money',
    )
    expect(await card().findByRole('heading', { name: 'CO-1002' })).toBeInTheDocument()
    expect(sums(card())).toHaveTextContent(
      'Agreed before$1,250.00Change orders+$350.00Agreed now$1,600.00Waits for an answer$200.00',
    )
    const [first, second] = within(card().getAllByRole('list', { name: 'Change orders' })[0] ?? document.body)
      .getAllByRole('heading')
      .map((heading) => within(heading.closest('li') ?? document.body))
    expect(first?.getByText('Second outlet')).toBeInTheDocument()
    expect(first?.getByText('Outlet, 2')).toBeInTheDocument()
    expect(first?.getByText('Open')).toBeInTheDocument()
    expect(second?.getByText('Approved')).toBeInTheDocument()
    expect(second?.getByText(/^Opened by the customer/)).toBeInTheDocument()
    expect(second?.getByText(/^Approved .* by Carla Customer, signature drawn/)).toBeInTheDocument()
    expect(second?.queryByRole('button', { name: 'Withdraw' })).not.toBeInTheDocument()
    expect(card().getByText('1 withdrawn or replaced')).toBeInTheDocument()
    expect(getCard('Money').getByText('Agreed: $1,250.00 before, and $350.00 by change orders')).toBeInTheDocument()
  })

  it('load error: can be retried', async () => {
    const parts = known([buildChangeOrder()])
    server.on('GET', ORDERS, buildProblemResponse(buildProblem(500, 'internal')))
    const { person } = await openJob(server, parts, 'money')
    await card().findByText('Change orders could not be loaded')
    server.on('GET', ORDERS, { body: [buildChangeOrder()] })
    await person.click(card().getByRole('button', { name: 'Try again' }))
    expect(await card().findByRole('heading', { name: 'CO-1001' })).toBeInTheDocument()
  })

  it('cancelled job: stay visible, no new ones', async () => {
    await openJob(server, { ...known([approved()]), status: 'Cancelled' }, 'money')
    expect(card().getByText('This job is cancelled. Restore it to change what was agreed.')).toBeInTheDocument()
    expect(card().queryByRole('button', { name: 'Add change order' })).not.toBeInTheDocument()
  })

  it('show a signature live', async () => {
    const order = buildChangeOrder({ jobId: JOB_ID })
    const { job } = await openJob(server, known([order], { open: 350 }), 'money')
    expect(await card().findByText('Open')).toBeInTheDocument()
    server.on('GET', `/api/jobs/${JOB_ID}`, {
      body: { ...job, ...known([approved({ id: order.id })], { changeOrders: 350, total: 1600 }) },
    })
    act(() => FakeEventSource.opened.at(-1)?.say('estimate', { id: order.id, leadId: job.leadId }))
    expect(await card().findByText('Approved')).toBeInTheDocument()
    expect(sums(card())).toHaveTextContent('Agreed now$1,600.00')
  })

  it('are withdrawn with a reason, and a signature is verified', async () => {
    const [open, signed] = [buildChangeOrder({ number: 'CO-1002' }), approved()]
    const { person } = await openJob(server, known([open, signed]), 'money')
    server.on('GET', `/api/estimates/${signed.id}/verify`, {
      body: {
        ok: true,
        approvedSha256: 'ab12',
        storedSha256: 'ab12',
        signedSha256: 'cd34',
        at: '2026-11-20T18:00:00.000Z',
        name: 'Carla Customer',
      },
    })
    await person.click(await card().findByRole('button', { name: 'Verify signature' }))
    expect(await screen.findByText('Unchanged since it was signed')).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Close' }))
    server.on('POST', `/api/estimates/${open.id}/withdraw`, { body: { ...open, status: 'withdrawn' } })
    await person.click(card().getByRole('button', { name: 'Withdraw' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Withdraw CO-1002?' }))
    await person.type(dialog.getByLabelText(/^Reason/), 'Wrong wall')
    await person.click(dialog.getByRole('button', { name: 'Withdraw' }))
    expect(await screen.findByText('Change order withdrawn')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/estimates/${open.id}/withdraw`)).toEqual({
      reason: 'Wrong wall',
    })
  })
})

describe('new change order', () => {
  it('shows amounts before and after, and is sent as shown', async () => {
    const { job, dialog, fill, send } = await openDialog()
    await fill(/^What came up/, 'Rotten subfloor')
    await fill(/^What \*/, 'New subfloor')
    await fill(/^Price each/, '318.18')
    // 10 % tax of 318.18 is 31.82.
    await dialog.findByText('New total')
    expect(sums(dialog)).toHaveTextContent('Agreed until now$1,250.00This change order+$350.00New total$1,600.00')
    expect(dialog.queryByRole('switch', { name: /^Offer options/ })).not.toBeInTheDocument()
    const made = buildChangeOrder({ jobId: JOB_ID })
    server.on('POST', ORDERS, () => {
      server.on('GET', `/api/jobs/${JOB_ID}`, { body: { ...job, ...known([made], { open: 350 }) } })
      return {
        status: 201,
        body: {
          changeOrder: made,
          delivery: {
            sent: [{ channel: 'sms', messageId: buildId(), to: '(312) 555-0199' }],
            notSent: [{ channel: 'email', reason: 'the mail server is away' }],
          },
        },
      }
    })
    await send()
    expect(await screen.findByText('Change order sent')).toBeInTheDocument()
    expect(screen.getByText('CO-1001 went out by text. No email: the mail server is away.')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', ORDERS)).toEqual({
      title: 'Rotten subfloor',
      lines: [
        { name: 'New subfloor', quantity: 1, unitPrice: 318.18, optional: false, taxName: 'Sales tax', taxRate: 10 },
      ],
      deposit: null,
      send: { email: true, text: true },
    })
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(await card().findByRole('heading', { name: 'CO-1001' })).toBeInTheDocument()
  })

  it('enters credits without a minus sign', async () => {
    const { person, dialog, fill, send } = await openDialog()
    await fill(/^What \*/, 'No paint after all')
    await fill(/^Price each/, '100')
    await person.click(dialog.getByRole('checkbox', { name: /^Credit/ }))
    expect(sums(dialog)).toHaveTextContent('This change order-$110.00New total$1,140.00')
    server.on(
      'POST',
      ORDERS,
      buildProblemResponse(
        buildProblem(409, 'conflict', { detail: 'More than that has been invoiced already. Void an invoice first.' }),
      ),
    )
    await send()
    expect((await screen.findByText('No change order')).parentElement).toHaveTextContent(
      'More than that has been invoiced already. Void an invoice first.',
    )
    expect(dialog.getByLabelText(/^Price each/)).toHaveValue('100')
    expect(await lastRequestBody(server, 'POST', ORDERS)).toMatchObject({ lines: [{ unitPrice: -100 }] })
  })

  it('shows client and server errors at their fields', async () => {
    const { dialog, fill, send } = await openDialog()
    await send()
    expect(await screen.findByText('Not complete yet')).toBeInTheDocument()
    expect(dialog.getByText('Say what it is')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', ORDERS)).toBeUndefined()
    server.on(
      'POST',
      ORDERS,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', {
          errors: { title: 'Use at most 120 letters', 'lines[0].unitPrice': 'That is too much' },
        }),
      ),
    )
    await fill(/^What \*/, 'Gold')
    await fill(/^Price each/, '99999999')
    await send()
    expect(await dialog.findByText('Use at most 120 letters')).toBeInTheDocument()
    expect(dialog.getByText('That is too much')).toBeInTheDocument()
  })

  it('shows the server’s totals with the currently agreed amount', async () => {
    const totals = { lines: [], subtotal: 10, discount: 0, taxes: [], tax: 0, total: 10.01 }
    server.on('POST', `${ORDERS}/preview`, { body: { totals, deposit: 0, before: 1300, after: 1310.01 } })
    const { dialog, fill } = await openDialog()
    await fill(/^What \*/, 'Tap')
    await fill(/^Price each/, '10')
    expect(await dialog.findByText('$1,310.01')).toBeInTheDocument()
    expect(sums(dialog)).toHaveTextContent('Agreed until now$1,300.00This change order+$10.01New total$1,310.01')
  })

  it('without a recipient: is created, and says so', async () => {
    const { person, dialog, fill } = await openDialog({ ...known([]), customerEmail: null })
    await fill(/^What \*/, 'Tap')
    await fill(/^Price each/, '10')
    await person.click(dialog.getByRole('checkbox', { name: /^by text/ }))
    server.on('POST', ORDERS, { status: 201, body: { changeOrder: buildChangeOrder(), delivery: NONE_SENT } })
    await person.click(dialog.getByRole('button', { name: 'Make change order' }))
    expect(await screen.findByText('Change order made')).toBeInTheDocument()
    expect(screen.getByText('CO-1001 was not sent.')).toBeInTheDocument()
  })

  it('replacing an approved one: is counted once', async () => {
    const order = approved()
    const { person } = await openJob(server, known([order], { changeOrders: 350, total: 1600 }), 'money')
    await person.click(await card().findByRole('button', { name: 'Revise' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New version of CO-1001' }))
    expect(dialog.getByLabelText(/^What came up/)).toHaveValue('Rotten subfloor')
    expect(dialog.getByText('That one stays approved until the customer approves the new one.')).toBeInTheDocument()
    expect(sums(dialog)).toHaveTextContent('Agreed until now$1,250.00This change order+$350.00New total$1,600.00')
    server.on('POST', `/api/estimates/${order.id}/revise`, {
      status: 201,
      body: buildChangeOrder({ number: 'CO-1001-2', version: 2 }),
      headers: { 'X-Sent': 'email', 'X-Waiting': 'sms: held until 8:00 AM: it is night there', 'X-Not-Sent': '' },
    })
    await person.click(dialog.getByRole('button', { name: 'Make the new version' }))
    expect(
      await screen.findByText('CO-1001-2 goes out by email. Text held until 8:00 AM: it is night there.'),
    ).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/estimates/${order.id}/revise`)).toMatchObject({
      title: 'Rotten subfloor',
      lines: [{ id: '1', name: 'New subfloor', unitPrice: 350 }],
    })
  })
})
