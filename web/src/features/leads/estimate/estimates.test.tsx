import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildProblem } from '@/testing/builders'
import { type EstimateTest, LEAD_ID, openEstimateDialog, setupEstimateTest } from '@/testing/estimate-setup'
import { buildProblemResponse } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { buildEstimate } from '@/testing/paper-builders'

let stage: EstimateTest

beforeAll(() => Promise.all([loadLeadScreens(), import('./estimate-dialog')]))

beforeEach(() => {
  stage = setupEstimateTest()
})

describe('Generate Estimate PDF', () => {
  it.each(['', '0', 'ten', '12.345'])('refuses the amount “%s”', async (typed) => {
    stage.answerLead()
    const { app, dialog, generate } = await openEstimateDialog()
    if (typed !== '') await app.user.type(dialog.getByLabelText(/^Amount/), typed)
    await generate()
    expect(await screen.findByText('Invalid Amount')).toBeInTheDocument()
    expect(screen.getAllByText('Please enter a valid estimate amount')).toHaveLength(2)
    expect(stage.made()).toEqual([])
  })

  it('saves the PDF under the server’s name, reports delivery, and marks the lead quoted', async () => {
    stage.answerLead()
    stage.answerPdf({ 'X-Sent': 'email,sms' })
    const { app, dialog, generate } = await openEstimateDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '$1,250')
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    expect(screen.getByText('Downloaded, and sent by email and text.')).toBeInTheDocument()
    expect(stage.saved).toEqual(['Carla Customer - Estimate EST-1001.pdf'])
    expect(await stage.made()[0]?.json()).toEqual({ quotedTotal: 1250, send: { email: true, text: true } })
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.getByText('Quoted')).toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'EST-1001' })).toBeInTheDocument()
  })

  it('sends by ticked channels only, with note and date', async () => {
    stage.answerLead()
    stage.answerPdf({ 'X-Sent': 'email' })
    const { app, dialog, generate } = await openEstimateDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '99.50')
    await app.user.click(dialog.getByRole('checkbox', { name: /^by text/ }))
    await app.user.type(dialog.getByLabelText(/^Note to the customer/), 'Parts included')
    await app.user.type(dialog.getByLabelText(/^Good until/), '2027-01-31')
    await generate()
    expect(await screen.findByText('Downloaded, and sent by email.')).toBeInTheDocument()
    expect(await stage.made()[0]?.json()).toEqual({
      quotedTotal: 99.5,
      notes: 'Parts included',
      expiresOn: '2027-01-31',
      send: { email: true, text: false },
    })
  })

  it.each([
    [
      { 'X-Sent': 'email', 'X-Not-Sent': 'sms: SMS is not set up' },
      'Downloaded, and sent by email. No text: SMS is not set up.',
    ],
    [{ 'X-Sent': 'sms', 'X-Not-Sent': 'email: no email address is known' }, 'Downloaded, and sent by text.'],
    [
      { 'X-Sent': '', 'X-Not-Sent': 'sms: they said STOP; email: no email address is known' },
      'Downloaded; not sent. No text: they said STOP.',
    ],
    [
      {
        'X-Sent': '',
        'X-Waiting': 'sms: held until 8:28 AM: it is 10:27 at night in Texas%3B texts go from 8 AM',
        'X-Not-Sent': 'email: 100%25 full%3B later',
      },
      'Downloaded. Text held until 8:28 AM: it is 10:27 at night in Texas; texts go from 8 AM. No email: 100% full; later.',
    ],
    [{ 'X-Sent': '', 'X-Not-Sent': '' }, 'Downloaded; not sent.'],
  ])('headers %o read: %s', async (headers, expectedText) => {
    stage.answerLead()
    stage.answerPdf(headers)
    const { app, dialog, generate } = await openEstimateDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '10')
    await generate()
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
  })

  it('without a recipient: downloads the PDF', async () => {
    stage.answerLead({ email: null, phone: '', phoneE164: null })
    stage.answerPdf({ 'X-Sent': '' })
    const { app, dialog, generate } = await openEstimateDialog()
    expect(dialog.getByText(/There is no email and no phone/)).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Amount/), '10')
    await generate()
    expect(await screen.findByText('Downloaded; no contact to send to.')).toBeInTheDocument()
    expect(stage.saved).toHaveLength(1)
  })

  it('failure: keeps the amount, explains, and retries as the same request', async () => {
    stage.answerLead()
    stage.server.on(
      'POST',
      `/api/leads/${LEAD_ID}/estimate`,
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The file store is away.' })),
    )
    const { app, dialog, generate } = await openEstimateDialog()
    await app.user.type(dialog.getByLabelText(/^Amount/), '1250')
    await generate()
    expect((await screen.findByText('Estimate failed')).parentElement).toHaveTextContent('The file store is away.')
    expect(dialog.getByLabelText(/^Amount/)).toHaveValue('1250')
    expect(stage.saved).toEqual([])
    stage.answerPdf({ 'X-Sent': 'email,sms' })
    await generate()
    expect(await screen.findByText('Estimate Generated')).toBeInTheDocument()
    const [first, second] = stage.made().map(({ headers }) => headers.get('Idempotency-Key'))
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).toBe(first)
  })
})

describe('another estimate for the same work', () => {
  it.each([
    ['open', 'A new version of EST-1001', /can no longer be approved/],
    ['approved', 'A new version of EST-1001', /stays approved until/],
  ] as const)('is a new version of a %s one, and says what happens to that', async (status, title, words) => {
    stage.answerLead({}, [buildEstimate({ status })])
    const { dialog } = await openEstimateDialog()
    expect(await dialog.findByText(title)).toBeInTheDocument()
    expect(dialog.getByText(words)).toBeInTheDocument()
  })

  it('is separate after a withdrawn one', async () => {
    stage.answerLead({}, [buildEstimate({ status: 'withdrawn' })])
    const { dialog } = await openEstimateDialog()
    expect(dialog.queryByText(/^A new version/)).not.toBeInTheDocument()
  })
})
