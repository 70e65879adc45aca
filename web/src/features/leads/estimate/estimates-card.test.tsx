import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildId, buildProblem } from '@/testing/builders'
import { type EstimateTest, LEAD_ID, setupEstimateTest } from '@/testing/estimate-setup'
import { buildProblemResponse } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { buildEstimate } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

let stage: EstimateTest

beforeAll(() =>
  Promise.all([
    loadLeadScreens(),
    import('./estimate-dialog'),
    import('./estimate-lines'),
    import('@/features/documents/estimate/send-dialog'),
    import('@/features/documents/estimate/withdraw-dialog'),
    import('@/features/documents/estimate/link-dialog'),
    import('@/features/documents/estimate/verify-dialog'),
  ]),
)

beforeEach(() => {
  stage = setupEstimateTest()
})

describe('estimates of a lead', () => {
  const card = async () => {
    const section = (await screen.findByRole('heading', { name: 'Estimates' })).closest('section')
    if (!section) throw new Error('Estimates are no card')
    return within(section)
  }

  it('none yet: says so', async () => {
    stage.answerLead()
    renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    expect(await (await card()).findByText(/^None yet/)).toBeInTheDocument()
  })

  it('load error: can be retried', async () => {
    stage.answerLead()
    stage.server.on('GET', `/api/leads/${LEAD_ID}/estimates`, buildProblemResponse(buildProblem(500, 'internal')))
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await (await card()).findByText('Estimates could not be loaded')
    stage.answerLead({}, [buildEstimate()])
    await app.user.click((await card()).getByRole('button', { name: 'Try again' }))
    expect(await (await card()).findByRole('heading', { name: 'EST-1001' })).toBeInTheDocument()
  })

  it.each([
    [{ depositPaid: 300, depositDue: 0 }, 'Deposit of $300 paid'],
    [{ depositPaid: 100, depositDue: 200 }, 'Deposit of $300, $200 of it is due'],
  ])('approved deposit: shows received and open amounts: %o', async (parts, words) => {
    stage.answerLead({}, [buildEstimate({ status: 'approved', deposit: 300, ...parts })])
    renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    const inside = await card()
    expect(await inside.findByText(words)).toBeInTheDocument()
  })

  it('approved deposit written off: shows nothing', async () => {
    stage.answerLead({}, [buildEstimate({ status: 'approved', deposit: 300, depositPaid: 0, depositDue: 0 })])
    renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    const inside = await card()
    expect(await inside.findByText('Approved')).toBeInTheDocument()
    expect(inside.queryByText(/^Deposit/)).not.toBeInTheDocument()
  })

  it.each([
    ['sent', {}, 1],
    ['not sent', { sentAt: null }, 0],
    ['waiting to be sent', { unsent: 'Waiting to send: it is night there' }, 0],
  ])('%s: next reminder only where it has reached the customer', async (_, parts, lines) => {
    const followUps = [{ step: 'day2', state: 'waiting', dueAt: '2099-11-24T16:00:00.000Z' } as const]
    stage.answerLead({}, [buildEstimate({ status: 'open', sentAt: '2026-11-20T16:00:00.000Z', followUps, ...parts })])
    renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    const inside = await card()
    expect(await inside.findByRole('heading', { name: 'EST-1001' })).toBeInTheDocument()
    expect(inside.queryAllByText(/^Next reminder/)).toHaveLength(lines)
  })

  it('reminder that cannot leave: says so with the reason', async () => {
    const followUps = [{ step: 'day2', state: 'waiting', dueAt: '2099-11-24T16:00:00.000Z' } as const]
    const noReminder = 'texts are off and there is no email address'
    stage.answerLead({}, [buildEstimate({ status: 'open', sentAt: '2026-11-20T16:00:00.000Z', followUps, noReminder })])
    renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    const inside = await card()
    const text = 'No reminder: texts are off and there is no email address. Write to them yourself.'
    expect(await inside.findByText(text)).toBeInTheDocument()
    expect(inside.queryByText(/^Next reminder/)).not.toBeInTheDocument()
  })

  it('show each version’s state and time, earlier ones folded', async () => {
    stage.answerLead({}, [
      buildEstimate({
        number: 'EST-1001-2',
        version: 2,
        status: 'approved',
        total: 1400.5,
        viewedAt: '2026-11-20T17:00:00.000Z',
        approvedAt: '2026-11-20T18:00:00.000Z',
        signedFileId: buildId(),
        deposit: 400,
        depositDue: 400,
        approval: {
          at: '2026-11-20T18:00:00.000Z',
          name: 'Carla Customer',
          manner: 'drawn',
          ip: '203.0.113.9',
          userAgent: null,
          optionId: null,
          addOns: [],
          total: 1400.5,
          deposit: 400,
          pdfSha256: 'ab',
        },
      }),
      buildEstimate({ status: 'replaced' }),
    ])
    renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    const inside = await card()
    expect(await inside.findByRole('heading', { name: 'EST-1001-2' })).toBeInTheDocument()
    expect(inside.getByText('Approved')).toBeInTheDocument()
    expect(inside.getByText('$1,400.50')).toBeInTheDocument()
    expect(
      inside.getByText(/^Approved .* by Carla Customer, signature drawn, from 203\.0\.113\.9$/),
    ).toBeInTheDocument()
    expect(inside.getByText('Deposit of $400 is due')).toBeInTheDocument()
    expect(inside.getByRole('button', { name: 'Signed copy of EST-1001-2' })).toBeInTheDocument()
    expect(inside.getByText('One earlier version')).toBeInTheDocument()
    expect(inside.queryByRole('button', { name: 'Withdraw' })).not.toBeInTheDocument()
  })

  it('copy their link, and open as PDF', async () => {
    const estimate = buildEstimate()
    stage.answerLead({}, [estimate])
    stage.server.on('GET', `/api/estimates/${estimate.id}/pdf`, {
      body: '%PDF',
      headers: { 'Content-Disposition': 'attachment; filename="paper.pdf"' },
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Copy link to EST-1001' }))
    expect(await screen.findByText('Link copied')).toBeInTheDocument()
    expect(await navigator.clipboard.readText()).toBe('https://acme.test/p/token-1')
    await app.user.click((await card()).getByRole('button', { name: 'PDF of EST-1001' }))
    await waitFor(() => expect(stage.saved).toEqual(['paper.pdf']))
  })

  it('are resent by the chosen channels, and name those that failed', async () => {
    const estimate = buildEstimate({ sentAt: null })
    stage.answerLead({}, [estimate])
    stage.server.on('POST', `/api/estimates/${estimate.id}/send`, {
      status: 202,
      body: {
        sent: [{ channel: 'email', messageId: buildId(), to: 'carla@home.test' }],
        notSent: [{ channel: 'sms', reason: 'SMS is not set up' }],
      },
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    expect(await (await card()).findByText('Not sent to the customer')).toBeInTheDocument()
    await app.user.click((await card()).getByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    await app.user.click(dialog.getByRole('button', { name: 'Send again' }))
    expect(await screen.findByText('By email. No text: SMS is not set up.')).toBeInTheDocument()
    expect(await stage.posts(`/api/estimates/${estimate.id}/send`)[0]?.json()).toEqual({ email: true, text: true })
  })

  it('resent by a business without a number: one’s own phone is offered in place of a text', async () => {
    const estimate = buildEstimate()
    const textsBlocked = 'your business has no number to send texts from'
    stage.answerLead({ email: null, textsBlocked }, [estimate])
    stage.server.on('POST', `/api/estimates/${estimate.id}/send`, {
      status: 202,
      body: { sent: [], notSent: [{ channel: 'sms', reason: textsBlocked }] },
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    const box = dialog.getByRole('checkbox', { name: /^by text to/ })
    expect(box).toBeDisabled()
    expect(box).not.toBeChecked()
    expect(
      dialog.getByText(`No text: ${textsBlocked}. You can text it from your own phone after it is made.`),
    ).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Send again' })).not.toBeInTheDocument()
    await app.user.click(dialog.getByRole('button', { name: 'Text from my phone' }))
    await waitFor(() => expect(stage.posts(`/api/estimates/${estimate.id}/send`)).toHaveLength(1))
    expect(await stage.posts(`/api/estimates/${estimate.id}/send`)[0]?.json()).toEqual({ email: false, text: true })
  })

  it('resending says what a form typed, and why there is no email', async () => {
    const proposal = {
      id: buildId(),
      leadId: LEAD_ID,
      kind: 'email' as const,
      value: 'carla@home.test',
      shown: 'carla@home.test',
      createdAt: '2026-11-20T15:04:05.000Z',
      answeredAt: null,
      activity: 'nothing' as const,
      typedAt: null,
      typedName: null,
      typedLeadId: null,
      isFirstForm: false,
      belongsTo: 'Bob',
      belongsToId: buildId(),
      isUsable: true,
      isInUse: false,
    }
    stage.answerLead({ email: null, phoneProof: 'form', alsoGave: [proposal] }, [buildEstimate()])
    stage.server.on('POST', `/api/contact-proposals/${proposal.id}/use`, { body: {} })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    expect(dialog.getByText('Typed into a form')).toBeInTheDocument()
    expect(await dialog.findByText(/No email to/)).toHaveTextContent('carla@home.test: it was only typed into a form.')
    expect(dialog.getByText(/On another customer:/)).toHaveTextContent('Bob. Use it to move it here.')
    await app.user.click(dialog.getByRole('button', { name: 'Use it carla@home.test' }))
    await waitFor(() => expect(stage.posts(`/api/contact-proposals/${proposal.id}/use`)).toHaveLength(1))
  })

  it('resending without an email on file says so', async () => {
    stage.answerLead({ email: null }, [buildEstimate()])
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    expect(dialog.getByText('No email address on file.')).toBeInTheDocument()
  })

  it('resending requires a channel', async () => {
    const estimate = buildEstimate()
    stage.answerLead({}, [estimate])
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Send again' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Send EST-1001 again' }))
    await app.user.click(dialog.getByRole('checkbox', { name: /^by email/ }))
    await app.user.click(dialog.getByRole('checkbox', { name: /^by text/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Send again' }))
    expect(await dialog.findByText('Choose email, text, or both')).toBeInTheDocument()
    expect(stage.posts(`/api/estimates/${estimate.id}/send`)).toEqual([])
  })

  it('are withdrawn with a reason', async () => {
    const estimate = buildEstimate()
    stage.answerLead({}, [estimate])
    stage.server.on('POST', `/api/estimates/${estimate.id}/withdraw`, () => {
      stage.answerLead({}, [{ ...estimate, status: 'withdrawn' }])
      return { body: { ...estimate, status: 'withdrawn' } }
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Withdraw' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Withdraw EST-1001?' }))
    await app.user.click(dialog.getByRole('button', { name: 'Withdraw' }))
    expect(await dialog.findByText('Please say why, in a few words')).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Reason/), 'Wrong roof')
    await app.user.click(dialog.getByRole('button', { name: 'Withdraw' }))
    expect(await screen.findByText('Estimate withdrawn')).toBeInTheDocument()
    expect(await stage.posts(`/api/estimates/${estimate.id}/withdraw`)[0]?.json()).toEqual({ reason: 'Wrong roof' })
    expect(await (await card()).findByText('Withdrawn')).toBeInTheDocument()
  })

  it('are revised into a new version', async () => {
    const estimate = buildEstimate({
      status: 'approved',
      content: {
        title: 'Roofing',
        lines: [{ id: '1', name: 'Shingles', quantity: 2, unit: 'sq', unitPrice: 300, taxRate: 9, taxName: 'Old tax' }],
        notes: 'Slate',
      },
    })
    stage.answerLead({}, [estimate])
    stage.server.on('POST', '/api/estimates/preview', buildProblemResponse(buildProblem(503, 'unavailable')))
    stage.server.on('POST', `/api/estimates/${estimate.id}/revise`, {
      status: 201,
      body: buildEstimate({ number: 'EST-1001-2', version: 2 }),
      headers: { 'X-Sent': 'email,sms' },
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Revise' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New version of EST-1001' }))
    expect(await dialog.findByLabelText(/^Price each/)).toHaveValue('300.00')
    await app.user.clear(dialog.getByLabelText(/^Quantity/))
    await app.user.type(dialog.getByLabelText(/^Quantity/), '3')
    await app.user.click(dialog.getByRole('button', { name: 'Send new version by text and email to Carla' }))
    expect(await screen.findByText('EST-1001-2 goes out by email and text.')).toBeInTheDocument()
    expect(await stage.posts(`/api/estimates/${estimate.id}/revise`)[0]?.json()).toMatchObject({
      lines: [{ id: '1', name: 'Shingles', quantity: 3, unitPrice: 300, taxName: 'Old tax', taxRate: 9 }],
      notes: 'Slate',
      deposit: null,
    })
  })

  it('get a new link on demand', async () => {
    const estimate = buildEstimate()
    stage.answerLead({}, [estimate])
    stage.server.on('POST', `/api/estimates/${estimate.id}/link`, {
      body: { ...estimate, link: 'https://acme.test/p/token-2' },
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'New link' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'A new link for EST-1001?' }))
    await app.user.click(dialog.getByRole('button', { name: 'Make a new link' }))
    expect(await screen.findByText('New link made')).toBeInTheDocument()
    expect(await stage.posts(`/api/estimates/${estimate.id}/link`)[0]?.json()).toEqual({ revoke: true })
  })

  it.each([
    [true, 'Unchanged since it was signed'],
    [false, 'Not the document that was signed'],
  ])('signature verification (%s) is shown', async (ok, words) => {
    const approval = {
      at: '2026-11-20T18:00:00.000Z',
      name: 'Carla Customer',
      manner: 'drawn',
      ip: null,
      userAgent: null,
      optionId: null,
      addOns: [],
      total: 1250,
      deposit: 0,
      pdfSha256: 'ab12',
    }
    const estimate = buildEstimate({ status: 'approved', approval })
    stage.answerLead({}, [estimate])
    stage.server.on('GET', `/api/estimates/${estimate.id}/verify`, {
      body: {
        ok,
        approvedSha256: 'ab12',
        storedSha256: ok ? 'ab12' : 'cd34',
        signedSha256: 'ef56',
        at: approval.at,
        name: approval.name,
      },
    })
    const app = renderApp(`/app/leads/${LEAD_ID}?tab=money`)
    await app.user.click(await (await card()).findByRole('button', { name: 'Verify signature' }))
    expect(await screen.findByText(words)).toBeInTheDocument()
  })
})
