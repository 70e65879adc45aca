import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CurrentUser } from '@/api/client'
import { buildConversation, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildJobDetail } from '@/testing/job-builders'
import { loadJobScreens, loadLeadScreens } from '@/testing/load-screens'
import { openJob, startJobServer } from '@/testing/open-job'
import { buildInvoice, buildMoney } from '@/testing/paper-builders'
import { pickQuickAction } from '@/testing/open-lead'
import { renderApp } from '@/testing/render-app'
import { buildRequestPreview } from '@/testing/review-builders'

const lead = buildLeadDetail({ name: 'Carla Customer' })
const path = `/api/leads/${lead.id}/review`
let server: FakeServer

beforeAll(() => Promise.all([loadLeadScreens(), loadJobScreens(), import('./request-dialog')]))

function startLeadServer(user: CurrentUser = buildUser()): void {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', `/api/leads/${lead.id}`, { body: lead })
  server.on('GET', /^\/api\/leads\/[^/]+\/estimates$/, { body: [] })
  server.on('GET', /^\/api\/leads\/[^/]+\/money$/, buildProblemResponse(buildProblem(503, 'unavailable')))
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', /^\/api\/inbox/, { body: buildConversation() })
  server.on('GET', path, { body: buildRequestPreview() })
}

beforeEach(() => startLeadServer())

async function opened() {
  const app = renderApp(`/app/leads/${lead.id}`)
  await pickQuickAction(app.user, 'Request Review')
  return { app, dialog: within(await screen.findByRole('dialog', { name: 'Request Review' })) }
}

const posted = () => server.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/review'))

describe('review request without a texting number', () => {
  it('is offered for the own phone', async () => {
    const ownPhone = {
      customerId: 'c0ffee00-0000-4000-8000-000000000001',
      leadId: lead.id,
      smsLink: 'sms:+15125550142?body=How%20did%20we%20do%3F',
      text: 'How did we do?',
      sentAt: null,
    }
    const why = 'Your business has no number to send texts from, and no email address is known.'
    const none = { canAsk: false, channel: null, to: null, text: null, at: null, why }
    server.on('GET', path, { body: buildRequestPreview({ ...none, ownPhone }) })
    const { dialog } = await opened()
    expect(await dialog.findByText(why)).toBeInTheDocument()
    expect(dialog.getByRole('link', { name: 'Text from my phone' })).toHaveAttribute('href', ownPhone.smsLink)
    expect(dialog.getByText('How did we do?')).toBeInTheDocument()
  })
})

describe('review request on a lead', () => {
  it('previews text, recipient, time and follow-ups, and asks once', async () => {
    server.on('GET', path, {
      body: buildRequestPreview({
        at: '2099-11-21T15:00:00.000Z',
        followUps: ['2099-11-24T15:00:00.000Z', '2099-11-28T15:00:00.000Z'],
      }),
    })
    server.on('POST', path, {
      status: 202,
      body: {
        askId: 'a1',
        channel: 'sms',
        to: '(512) 555-0100',
        at: '2020-01-01T00:00:00.000Z',
        customerName: 'Carla Customer',
      },
    })
    const { app, dialog } = await opened()
    expect(await dialog.findByText(/^How did we do\?/)).toBeInTheDocument()
    expect(dialog.getByText('By SMS to (512) 555-0100, Sat, Nov 21, 2099 9:00 AM')).toBeInTheDocument()
    expect(
      dialog.getByText(
        'Again on Tue, Nov 24, 2099 and Sat, Nov 28, 2099, unless they answer, leave a review or say STOP first.',
      ),
    ).toBeInTheDocument()
    await app.user.click(dialog.getByRole('button', { name: 'Request Review' }))
    expect(await screen.findByText('Review requested')).toBeInTheDocument()
    expect(screen.getByText('By SMS to Carla Customer, (512) 555-0100, now.')).toBeInTheDocument()
    expect(posted().map((request) => (request.headers.get('Idempotency-Key') ?? '').length)).toEqual([36])
    expect(await posted()[0]?.json()).toEqual({ override: false })
    expect(screen.queryByRole('dialog', { name: 'Request Review' })).not.toBeInTheDocument()
  })

  it('saved as a file: not called requested', async () => {
    server.on('GET', path, { body: buildRequestPreview() })
    const outlook = { state: 'filed', text: 'saved as a file: email is not set up', until: null }
    server.on('POST', path, {
      status: 202,
      body: {
        askId: 'a1',
        channel: 'email',
        to: 'carla@example.com',
        at: '2020-01-01T00:00:00.000Z',
        customerName: 'Carla Customer',
        outlook,
      },
    })
    const { app, dialog } = await opened()
    await app.user.click(await dialog.findByRole('button', { name: 'Request Review' }))
    expect(await screen.findByText('Review request not sent yet')).toBeInTheDocument()
    expect(screen.getByText('Saved as a file: email is not set up.')).toBeInTheDocument()
  })

  it('not allowed: says why', async () => {
    server.on('GET', path, {
      body: buildRequestPreview({
        canAsk: false,
        channel: null,
        to: null,
        text: null,
        at: null,
        followUps: [],
        why: 'They asked for no more messages.',
      }),
    })
    const { dialog } = await opened()
    expect(await dialog.findByText('They asked for no more messages.')).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Request Review' })).not.toBeInTheDocument()
  })

  it('refused by the server: shows the reason', async () => {
    server.on(
      'POST',
      path,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'They were asked a minute ago.' })),
    )
    const { app, dialog } = await opened()
    await app.user.click(await dialog.findByRole('button', { name: 'Request Review' }))
    expect((await screen.findByText('Review not requested')).parentElement).toHaveTextContent(
      'They were asked a minute ago.',
    )
  })
})

describe('review request within 180 days', () => {
  const again = buildRequestPreview({
    canAsk: false,
    needsOverride: true,
    why: 'They were asked within the last 180 days.',
    lastAskedAt: '2026-10-01T15:00:00.000Z',
  })

  it('owner: asks again after a warning', async () => {
    server.on('GET', path, { body: again })
    server.on('POST', path, {
      status: 202,
      body: {
        askId: 'a1',
        channel: 'sms',
        to: '(512) 555-0100',
        at: '2020-01-01T00:00:00.000Z',
        customerName: 'Carla Customer',
      },
    })
    const { app, dialog } = await opened()
    expect(await dialog.findByText('They were asked not long ago')).toBeInTheDocument()
    expect(dialog.getByText('The last time was Oct 1, 2026.')).toBeInTheDocument()
    expect(dialog.getByRole('button', { name: 'Ask again' })).toBeDisabled()
    await app.user.click(dialog.getByRole('checkbox', { name: 'Ask them again all the same' }))
    await app.user.click(dialog.getByRole('button', { name: 'Ask again' }))
    expect(await screen.findByText('Review requested')).toBeInTheDocument()
    expect(await posted()[0]?.json()).toEqual({ override: true })
  })

  it('office: says that only the owner may', async () => {
    startLeadServer(buildUser({ role: 'office' }))
    server.on('GET', path, { body: again })
    const { dialog } = await opened()
    expect(await dialog.findByText('Only the owner may ask them again so soon.')).toBeInTheDocument()
    expect(dialog.queryByRole('button', { name: 'Ask again' })).not.toBeInTheDocument()
    expect(dialog.queryByRole('checkbox')).not.toBeInTheDocument()
  })
})

describe('review request on a job', () => {
  beforeEach(() => {
    server = startJobServer()
  })

  it('is the next step once the work is done and billed', async () => {
    const job = buildJobDetail({ status: 'Completed' })
    server.on('GET', /^\/api\/leads\/[^/]+\/money$/, { body: buildMoney({ agreed: 1250, collected: 1250 }) })
    server.on('GET', `/api/jobs/${job.id}/review`, { body: buildRequestPreview() })
    const { person } = await openJob(server, job)
    await person.click(await screen.findByRole('button', { name: 'Request Review' }))
    expect(
      await within(await screen.findByRole('dialog', { name: 'Request Review' })).findByText(/^How did we do\?/),
    ).toBeInTheDocument()
  })

  it('is under More while the invoice is unsent', async () => {
    const job = buildJobDetail({ status: 'Completed' })
    server.on('GET', /^\/api\/leads\/[^/]+\/money$/, {
      body: buildMoney({ invoices: [buildInvoice({ jobId: job.id, number: null, status: 'draft' })] }),
    })
    server.on('GET', `/api/jobs/${job.id}/review`, { body: buildRequestPreview() })
    const { person } = await openJob(server, job)
    expect(await screen.findByRole('link', { name: 'Send invoice $1,250' })).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'More for this job' }))
    await person.click(
      within(await screen.findByRole('dialog', { name: 'More' })).getByRole('button', { name: 'Request Review' }),
    )
    expect(await screen.findByRole('dialog', { name: 'Request Review' })).toBeInTheDocument()
  })
})
