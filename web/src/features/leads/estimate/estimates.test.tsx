// Estimates on a lead's page: made with one amount, shown with where they stand, sent again and taken back.
import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, problemAnswer, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { buildEstimate, buildMoney, buildPriceItem } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

const id = '3f2a9c1e-0000-4000-8000-000000000001'
const saved: string[] = []
let server: FakeServer

function answerLead(parts: Partial<Schema['LeadDetail']> = {}, estimates: Schema['EstimateView'][] = []) {
  server.on('GET', `/api/leads/${id}`, { body: buildLeadDetail({ id, ...parts }) })
  server.on('GET', `/api/leads/${id}/estimates`, { body: estimates })
}

/** The PDF comes back; `headers` say how it went out. */
function answerPdf(headers: Record<string, string>) {
  server.on('POST', `/api/leads/${id}/estimate`, () => {
    answerLead({ stage: 'Quoted', quotedTotal: 1250 }, [buildEstimate()])
    return { body: '%PDF', headers: { 'Content-Disposition': 'attachment; filename="Carla Customer - Estimate EST-1001.pdf"', ...headers } }
  })
}

async function openDialog() {
  const app = renderApp(`/app/leads/${id}`)
  await app.user.click(await screen.findByRole('button', { name: 'Generate Estimate PDF' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Generate Estimate PDF' }))
  return { app, dialog, generate: () => app.user.click(dialog.getByRole('button', { name: 'Generate Estimate PDF' })) }
}

const posts = (path: string) => server.requests.filter(({ method, url }) => method === 'POST' && new URL(url).pathname === path)
const made = () => posts(`/api/leads/${id}/estimate`)

beforeAll(() => Promise.all([loadLeadScreens(), import('./estimate-dialog'), import('./send-dialog'), import('./withdraw-dialog'), import('./link-dialog'), import('./verify-dialog'), import('@/paper/price-picker')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', `/api/leads/${id}/money`, { body: buildMoney() })
  server.on('GET', /^\/api\/org\/.*\/settings$/, {
    body: { invoicing: {}, estimates: { prefix: 'EST-', validDays: 30, deposit: { kind: 'none', value: null }, taxRates: [{ name: 'Sales tax', rate: 8.25 }], defaultTax: 'Sales tax', terms: '', followUpDays: [] } },
  })
  saved.length = 0
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download)
  })
})

describe('Generate Estimate PDF', () => {
  it.each(['', '0', 'ten', '12.345'])('takes no amount like “%s”', async (typed) => {
    answerLead()
    const { app, dialog, generate } = await openDialog()
    if (typed !== '') await app.user.type(dialog.getByLabelText(/^Amount/), typed)
    await generate()
    expect(await screen.findByText('Invalid Amount')).toBeInTheDocument()
    expect(screen.getAllByText('Please enter a valid estimate amount')).toHaveLength(2)
    expect(made()).toEqual([])
  })

  it('saves the PDF under the server’s name, says how it went out, and shows the lead as quoted', async () => {
    answerLead()
    answerPdf({ 'X-Sent': 'email,sms' })
    const { app, dialog, generate } = await openDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '$1,250')
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    expect(screen.getByText('Downloaded, and sent by email and text.')).toBeInTheDocument()
    expect(saved).toEqual(['Carla Customer - Estimate EST-1001.pdf'])
    expect(await made()[0]?.json()).toEqual({ quotedTotal: 1250, send: { email: true, text: true } })
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('Quoted')).toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'EST-1001' })).toBeInTheDocument()
  })

  it('goes out only by the ways that are ticked, with the note and the day', async () => {
    answerLead()
    answerPdf({ 'X-Sent': 'email' })
    const { app, dialog, generate } = await openDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '99.50')
    await app.user.click(dialog.getByRole('checkbox', { name: /^by text/ }))
    await app.user.type(dialog.getByLabelText(/^Note to the customer/), 'Parts included')
    await app.user.type(dialog.getByLabelText(/^Good until/), '2027-01-31')
    await generate()
    expect(await screen.findByText('Downloaded, and sent by email.')).toBeInTheDocument()
    expect(await made()[0]?.json()).toEqual({ quotedTotal: 99.5, notes: 'Parts included', expiresOn: '2027-01-31', send: { email: true, text: false } })
  })

  it.each([
    [{ 'X-Sent': 'email', 'X-Not-Sent': 'sms: SMS is not set up' }, 'Downloaded, and sent by email. No text: SMS is not set up.'],
    [{ 'X-Sent': 'sms', 'X-Not-Sent': 'email: no email address is known' }, 'Downloaded, and sent by text.'],
    [{ 'X-Sent': '', 'X-Not-Sent': 'sms: they said STOP; email: no email address is known' }, 'Downloaded; not sent. No text: they said STOP.'],
    [{ 'X-Sent': '', 'X-Not-Sent': '' }, 'Downloaded; not sent.'],
  ])('says of %o: %s', async (headers, said) => {
    answerLead()
    answerPdf(headers)
    const { app, dialog, generate } = await openDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '10')
    await generate()
    expect(await screen.findByText(said)).toBeInTheDocument()
  })

  it('is downloaded all the same where there is nobody to send it to', async () => {
    answerLead({ email: null, phone: '', phoneE164: null })
    answerPdf({ 'X-Sent': '' })
    const { app, dialog, generate } = await openDialog()
    expect(dialog.getByText(/There is no email and no phone/)).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Amount/), '10')
    await generate()
    expect(await screen.findByText('Downloaded; no contact to send to.')).toBeInTheDocument()
    expect(saved).toHaveLength(1)
  })

  it('keeps the amount when it fails, says why, and tries again as the same request', async () => {
    answerLead()
    server.on('POST', `/api/leads/${id}/estimate`, problemAnswer(buildProblem(503, 'unavailable', { detail: 'The file store is away.' })))
    const { app, dialog, generate } = await openDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '1250')
    await generate()
    expect((await screen.findByText('Estimate failed')).parentElement).toHaveTextContent('The file store is away.')
    expect(dialog.getByLabelText(/^Amount/)).toHaveValue('1250')
    expect(saved).toEqual([])
    answerPdf({ 'X-Sent': 'email,sms' })
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    const [first, second] = made().map(({ headers }) => headers.get('Idempotency-Key'))
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).toBe(first)
  })
})

describe('line items', () => {
  const openLines = async () => {
    answerLead()
    const opened = await openDialog()
    await opened.app.user.click(opened.dialog.getByRole('switch', { name: 'Line items' }))
    const lines = within(opened.dialog.getByRole('region', { name: 'Lines' }))
    const fill = async (at: number, label: RegExp, text: string) => {
      const field = lines.getAllByLabelText(label)[at]
      if (!field) throw new Error(`Line ${at} has no such field`)
      await opened.app.user.clear(field)
      await opened.app.user.click(field)
      await opened.app.user.paste(text)
    }
    return { ...opened, lines, fill }
  }
  const total = (dialog: ReturnType<typeof within>) => dialog.getByText('Total').parentElement

  it('are reckoned while they are typed, and go out as they are', async () => {
    answerPdf({ 'X-Sent': 'email,sms' })
    const { app, dialog, lines, fill, generate } = await openLines()
    await fill(0, /^What/, 'Shingles')
    await fill(0, /^Quantity/, '1.5')
    await fill(0, /^Price each/, '99.95')
    // 149.925 → 149.93, and 8.25 % of it 12.369 → 12.37.
    expect(total(dialog)).toHaveTextContent('Total$162.30')
    await app.user.click(lines.getByRole('button', { name: 'Add line' }))
    await fill(1, /^What/, 'Gutter guard')
    await fill(1, /^Price each/, '200')
    const optional = lines.getAllByRole('checkbox', { name: /^Optional/ })[1]
    if (optional) await app.user.click(optional)
    expect(total(dialog)).toHaveTextContent('Total$162.30')
    await app.user.selectOptions(lines.getByLabelText('Discount'), 'Percent')
    await fill(0, /^Percent off/, '10')
    // 14.993 → 14.99 off; 8.25 % of 134.94 is 11.13.
    expect(total(dialog)).toHaveTextContent('Total$146.07')
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    const tax = { taxName: 'Sales tax', taxRate: 8.25 }
    expect(await made()[0]?.json()).toEqual({
      lines: [{ name: 'Shingles', quantity: 1.5, unitPrice: 99.95, optional: false, ...tax }, { name: 'Gutter guard', quantity: 1, unitPrice: 200, optional: true, ...tax }],
      discount: { percent: 10 }, send: { email: true, text: true },
    })
  })

  it('say what they lack, and what the server finds stands at its field', async () => {
    const { lines, fill, generate } = await openLines()
    await generate()
    expect(await lines.findByText('Say what it is')).toBeInTheDocument()
    expect(lines.getByText('Please enter a price')).toBeInTheDocument()
    expect(made()).toEqual([])
    server.on('POST', `/api/leads/${id}/estimate`, problemAnswer(buildProblem(422, 'validation_failed', { errors: { 'lines[0].unitPrice': 'That is too much' } })))
    await fill(0, /^What/, 'Gold')
    await fill(0, /^Price each/, '99999999')
    await generate()
    expect(await lines.findByText('That is too much')).toBeInTheDocument()
  })

  it('may be one of several options, with discounts of their own and a deposit', async () => {
    answerPdf({ 'X-Sent': 'email,sms' })
    const { app, dialog, lines, fill, generate } = await openLines()
    await app.user.click(lines.getByRole('switch', { name: /^Offer options/ }))
    await app.user.click(lines.getByRole('button', { name: 'Remove option 3' }))
    await app.user.click(lines.getByRole('radio', { name: /Good/ }))
    await fill(0, /^What/, 'Patch')
    await fill(0, /^Price each/, '100')
    await app.user.selectOptions(lines.getByLabelText(/^Part of/), 'Only Good')
    await app.user.selectOptions(lines.getByLabelText('Discount on this line'), 'Dollars')
    await fill(0, /^Dollars off/, '20')
    await app.user.click(lines.getByRole('button', { name: 'Add line' }))
    await fill(1, /^What/, 'Haul away')
    await fill(1, /^Price each/, '50')
    await app.user.selectOptions(dialog.getByLabelText('Deposit on approval'), 'Percent')
    await app.user.type(dialog.getByLabelText(/^Percent of the total/), '50')
    const totals = within(dialog.getByRole('list', { name: 'Totals by option' })).getAllByRole('listitem')
    // 80 + 50, and 8.25 % of each: 6.60 + 4.13.
    expect(totals[0]).toHaveTextContent('GoodRecommended')
    expect(totals[0]).toHaveTextContent('Total$140.73Deposit on approval$70.37')
    expect(totals[1]).toHaveTextContent('Total$54.13')
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    expect(await made()[0]?.json()).toMatchObject({
      lines: [{ name: 'Patch', optionId: 'good', discount: { amount: 20 } }, { name: 'Haul away' }],
      options: [{ id: 'good', name: 'Good' }, { id: 'better', name: 'Better' }], recommended: 'good', deposit: { percent: 50 },
    })
  })

  it('come from the price book, a tap each', async () => {
    const item = buildPriceItem({ name: 'Water heater', price: 1450, unit: 'set', taxRate: 0 })
    server.on('GET', '/api/price-items', (_request, url) => ({ body: url.searchParams.get('active') === 'true' ? [item] : [] }))
    const { app, dialog, lines } = await openLines()
    await app.user.click(lines.getByRole('button', { name: 'From the price book' }))
    const book = within(await screen.findByRole('dialog', { name: 'From the price book' }))
    await app.user.click(await book.findByRole('button', { name: /^Water heater/ }))
    await app.user.click(book.getByRole('button', { name: /^Water heater/ }))
    expect(book.getByText('Added 2 times')).toBeInTheDocument()
    await app.user.click(book.getByRole('button', { name: 'Done, 2 added' }))
    expect(lines.getAllByLabelText(/^What/).map((field) => (field as HTMLInputElement).value)).toEqual(['Water heater', 'Water heater'])
    expect(total(dialog)).toHaveTextContent('Total$2,900.00')
  })

  it('come to what the server says, once it has said it', async () => {
    server.on('POST', '/api/estimates/preview', {
      body: { totals: { byOption: [{ optionId: null, lines: [], subtotal: 10, discount: 0, taxes: [], tax: 0, total: 10.01, deposit: 0 }] } },
    })
    const { dialog, fill } = await openLines()
    await fill(0, /^What/, 'Tap')
    await fill(0, /^Price each/, '10')
    expect(await dialog.findByText('$10.01', {}, { timeout: 3000 })).toBeInTheDocument()
    expect(await posts('/api/estimates/preview')[0]?.json()).toMatchObject({ leadId: id, lines: [{ name: 'Tap', unitPrice: 10 }] })
  })

  it('survive a dialog closed by mistake', async () => {
    const { app, dialog, fill } = await openLines()
    await fill(0, /^What/, 'Shingles')
    await app.user.click(dialog.getByRole('button', { name: 'Cancel' }))
    await app.user.click(screen.getByRole('button', { name: 'Generate Estimate PDF' }))
    expect(await screen.findByDisplayValue('Shingles')).toBeInTheDocument()
  })
})

describe('another estimate for the same work', () => {
  it.each([
    ['open', 'A new version of EST-1001', /can no longer be approved/],
    ['approved', 'A new version of EST-1001', /stays approved until/],
  ] as const)('is a new version of one that is %s, and says what becomes of that', async (status, title, words) => {
    answerLead({}, [buildEstimate({ status })])
    const { dialog } = await openDialog()
    expect(await dialog.findByText(title)).toBeInTheDocument()
    expect(dialog.getByText(words)).toBeInTheDocument()
  })

  it('is one of its own after one that was withdrawn', async () => {
    answerLead({}, [buildEstimate({ status: 'withdrawn' })])
    const { dialog } = await openDialog()
    expect(dialog.queryByText(/^A new version/)).not.toBeInTheDocument()
  })
})

describe('the estimates', () => {
  const card = async () => {
    const section = (await screen.findByRole('heading', { name: 'Estimates' })).closest('section')
    if (!section) throw new Error('Estimates are no card')
    return within(section)
  }

  it('say that there are none yet', async () => {
    answerLead()
    renderApp(`/app/leads/${id}`)
    expect(await (await card()).findByText(/^None yet/)).toBeInTheDocument()
  })

  it('that did not arrive can be asked for again', async () => {
    answerLead()
    server.on('GET', `/api/leads/${id}/estimates`, problemAnswer(buildProblem(500, 'internal')))
    const app = renderApp(`/app/leads/${id}`)
    await (await card()).findByText('Estimates could not be loaded')
    answerLead({}, [buildEstimate()])
    await app.user.click((await card()).getByRole('button', { name: 'Try again' }))
    expect(await (await card()).findByRole('heading', { name: 'EST-1001' })).toBeInTheDocument()
  })

  it('tell by word and time where each version stands, the earlier ones folded away', async () => {
    answerLead({}, [
      buildEstimate({
        number: 'EST-1001-2', version: 2, status: 'approved', total: 1400.5, viewedAt: '2026-11-20T17:00:00.000Z', approvedAt: '2026-11-20T18:00:00.000Z', signedFileId: buildId(), deposit: 400,
        approval: {
          at: '2026-11-20T18:00:00.000Z', name: 'Carla Customer', manner: 'drawn', ip: '203.0.113.9', userAgent: null, optionId: null, addOns: [], total: 1400.5, deposit: 400, pdfSha256: 'ab',
        },
      }),
      buildEstimate({ status: 'replaced' }),
    ])
    renderApp(`/app/leads/${id}`)
    const inside = await card()
    expect(await inside.findByRole('heading', { name: 'EST-1001-2' })).toBeInTheDocument()
    expect(inside.getByText('Approved')).toBeInTheDocument()
    expect(inside.getByText('$1,400.50')).toBeInTheDocument()
    expect(inside.getByText(/^Approved .* by Carla Customer, signature drawn, from 203\.0\.113\.9$/)).toBeInTheDocument()
    expect(inside.getByText('Deposit of $400 is due')).toBeInTheDocument()
    expect(inside.getByRole('button', { name: 'Signed copy of EST-1001-2' })).toBeInTheDocument()
    expect(inside.getByText('One earlier version')).toBeInTheDocument()
    expect(inside.queryByRole('button', { name: 'Withdraw' })).not.toBeInTheDocument()
  })

  it('give their link away, and open as PDF', async () => {
    const estimate = buildEstimate()
    answerLead({}, [estimate])
    server.on('GET', `/api/estimates/${estimate.id}/pdf`, { body: '%PDF', headers: { 'Content-Disposition': 'attachment; filename="paper.pdf"' } })
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Copy link to EST-1001' }))
    expect(await screen.findByText('Link copied')).toBeInTheDocument()
    expect(await navigator.clipboard.readText()).toBe('https://acme.test/p/token-1')
    await app.user.click((await card()).getByRole('button', { name: 'PDF of EST-1001' }))
    await waitFor(() => expect(saved).toEqual(['paper.pdf']))
  })

  it('are sent again by the ways chosen, and say what did not go out', async () => {
    const estimate = buildEstimate({ sentAt: null })
    answerLead({}, [estimate])
    server.on('POST', `/api/estimates/${estimate.id}/send`, {
      status: 202, body: { sent: [{ channel: 'email', messageId: buildId(), to: 'carla@home.test' }], notSent: [{ channel: 'sms', reason: 'SMS is not set up' }] },
    })
    const app = renderApp(`/app/leads/${id}`)
    expect(await (await card()).findByText('Not sent to the customer')).toBeInTheDocument()
    await app.user.click((await card()).getByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    await app.user.click(dialog.getByRole('button', { name: 'Send again' }))
    expect(await screen.findByText('By email. No text: SMS is not set up.')).toBeInTheDocument()
    expect(await posts(`/api/estimates/${estimate.id}/send`)[0]?.json()).toEqual({ email: true, text: true })
  })

  it('are not sent by no way at all', async () => {
    const estimate = buildEstimate()
    answerLead({}, [estimate])
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    await app.user.click(dialog.getByRole('checkbox', { name: /^by email/ }))
    await app.user.click(dialog.getByRole('checkbox', { name: /^by text/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Send again' }))
    expect(await dialog.findByText('Choose email, text, or both')).toBeInTheDocument()
    expect(posts(`/api/estimates/${estimate.id}/send`)).toEqual([])
  })

  it('are taken back with a reason', async () => {
    const estimate = buildEstimate()
    answerLead({}, [estimate])
    server.on('POST', `/api/estimates/${estimate.id}/withdraw`, () => {
      answerLead({}, [{ ...estimate, status: 'withdrawn' }])
      return { body: { ...estimate, status: 'withdrawn' } }
    })
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Withdraw' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Withdraw EST-1001?' }))
    await app.user.click(dialog.getByRole('button', { name: 'Withdraw' }))
    expect(await dialog.findByText('Please say why, in a few words')).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Reason/), 'Wrong roof')
    await app.user.click(dialog.getByRole('button', { name: 'Withdraw' }))
    expect(await screen.findByText('Estimate withdrawn')).toBeInTheDocument()
    expect(await posts(`/api/estimates/${estimate.id}/withdraw`)[0]?.json()).toEqual({ reason: 'Wrong roof' })
    expect((await card()).getByText('Withdrawn')).toBeInTheDocument()
  })

  it('are revised from what they say, as a new version', async () => {
    const estimate = buildEstimate({
      status: 'approved', content: { title: 'Roofing', lines: [{ id: '1', name: 'Shingles', quantity: 2, unit: 'sq', unitPrice: 300, taxRate: 9, taxName: 'Old tax' }], notes: 'Slate' },
    })
    answerLead({}, [estimate])
    server.on('POST', '/api/estimates/preview', problemAnswer(buildProblem(503, 'unavailable')))
    server.on('POST', `/api/estimates/${estimate.id}/revise`, { status: 201, body: buildEstimate({ number: 'EST-1001-2', version: 2 }) })
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Revise' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New version of EST-1001' }))
    expect(dialog.getByLabelText(/^Price each/)).toHaveValue('300.00')
    await app.user.clear(dialog.getByLabelText(/^Quantity/))
    await app.user.type(dialog.getByLabelText(/^Quantity/), '3')
    await app.user.click(dialog.getByRole('button', { name: 'Make the new version' }))
    expect(await screen.findByText('EST-1001-2 is on its way to the customer.')).toBeInTheDocument()
    expect(await posts(`/api/estimates/${estimate.id}/revise`)[0]?.json()).toMatchObject({
      lines: [{ id: '1', name: 'Shingles', quantity: 3, unitPrice: 300, taxName: 'Old tax', taxRate: 9 }], notes: 'Slate', deposit: null,
    })
  })

  it('get a new link when the old one is in the wrong hands', async () => {
    const estimate = buildEstimate()
    answerLead({}, [estimate])
    server.on('POST', `/api/estimates/${estimate.id}/link`, { body: { ...estimate, link: 'https://acme.test/p/token-2' } })
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await (await card()).findByRole('button', { name: 'New link' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'A new link for EST-1001?' }))
    await app.user.click(dialog.getByRole('button', { name: 'Make a new link' }))
    expect(await screen.findByText('New link made')).toBeInTheDocument()
    expect(await posts(`/api/estimates/${estimate.id}/link`)[0]?.json()).toEqual({ revoke: true })
  })

  it.each([[true, 'Unchanged since it was signed'], [false, 'Not the paper that was signed']])('whose signature holds (%s) say so', async (ok, words) => {
    const approval = { at: '2026-11-20T18:00:00.000Z', name: 'Carla Customer', manner: 'drawn', ip: null, userAgent: null, optionId: null, addOns: [], total: 1250, deposit: 0, pdfSha256: 'ab12' }
    const estimate = buildEstimate({ status: 'approved', approval })
    answerLead({}, [estimate])
    server.on('GET', `/api/estimates/${estimate.id}/verify`, { body: { ok, approvedSha256: 'ab12', storedSha256: ok ? 'ab12' : 'cd34', signedSha256: 'ef56', at: approval.at, name: approval.name } })
    const app = renderApp(`/app/leads/${id}`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Verify signature' }))
    expect(await screen.findByText(words)).toBeInTheDocument()
  })
})
