import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadReviewScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { buildAsk, buildReport, buildReportRow } from '@/testing/review-builders'

let server: FakeServer

beforeAll(loadReviewScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
})

describe('review requests', () => {
  const open = buildAsk({
    customerName: 'Ana Diaz',
    canStop: true,
    steps: [
      {
        step: 'review_ask',
        dueAt: '2026-11-20T16:00:00.000Z',
        state: 'done',
        reason: null,
        channel: 'sms',
        messageId: 'm1',
      },
      {
        step: 'review_3',
        dueAt: '2026-11-23T16:00:00.000Z',
        state: 'waiting',
        reason: null,
        channel: null,
        messageId: null,
      },
    ],
  })
  const not = buildAsk({
    customerName: 'Ben Carter',
    state: 'not_asked',
    why: 'opted_out',
    reason: 'They asked for no more messages',
    askedAt: null,
    channel: null,
    jobNumber: 1008,
  })
  const trouble = buildAsk({
    customerName: 'Cy Young',
    state: 'stopped',
    why: 'complaint',
    reason: 'There is a problem that is not settled',
  })
  const done = buildAsk({
    customerName: 'Dee Fox',
    state: 'answered',
    why: 'reviewed',
    reason: 'They have left a review',
    reviewId: 'r1',
  })

  beforeEach(() => {
    server.on('GET', '/api/reviews/asks', (_request, url) => {
      const [state, customerId] = [url.searchParams.get('state'), url.searchParams.get('customerId')]
      const found = [open, not, trouble, done].filter(
        (ask) => (state === null || ask.state === state) && (customerId === null || ask.customerId === customerId),
      )
      return { body: found, headers: { 'X-Total-Count': String(found.length) } }
    })
  })

  const cards = async () =>
    within(await screen.findByRole('list', { name: 'Who was asked, newest first' })).getAllByRole('article')
  const card = async (at: number) => within((await cards())[at] as HTMLElement)

  it('are filtered to a figure’s dates', async () => {
    renderApp('/app/reviews?tab=asked&from=2026-11-20&to=2026-11-20')
    await cards()
    expect(screen.getByRole('button', { name: 'Nov 20, 2026' })).toBeInTheDocument()
    expect(
      server.requests.some(
        ({ url }) => url.includes('/api/reviews/asks') && url.includes('from=2026-11-20&to=2026-11-20'),
      ),
    ).toBe(true)
  })

  it('show sent and next requests, and the reason of none', async () => {
    renderApp('/app/reviews?tab=asked')
    const first = await card(0)
    expect(first.getByRole('link', { name: 'Ana Diaz' })).toHaveAttribute('href', `/app/customers/${open.customerId}`)
    expect(first.getByRole('link', { name: 'Job #1007' })).toHaveAttribute('href', `/app/jobs/${open.jobId}`)
    expect(first.getByText('Asked')).toBeInTheDocument()
    expect(first.getByText(/^Asked by SMS, /)).toBeInTheDocument()
    expect(first.getByText(/^Second request goes out .* unless they answer first$/)).toBeInTheDocument()
    expect((await card(1)).getByText('They asked for no more messages')).toBeInTheDocument()
    expect((await card(2)).getByRole('link', { name: 'Settle it on their record' })).toHaveAttribute(
      'href',
      `/app/customers/${trouble.customerId}`,
    )
    expect((await card(3)).getByRole('link', { name: 'See their review' })).toHaveAttribute(
      'href',
      '/app/reviews?review=r1',
    )
  })

  it('are filtered by state, and by customer link', async () => {
    const { user } = renderApp(`/app/reviews?tab=asked&customer=${not.customerId}`)
    expect(await cards()).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Only Ben Carter' }))
    await waitFor(async () => expect(await cards()).toHaveLength(4))
    await user.click(screen.getByRole('radio', { name: 'Stopped' }))
    await waitFor(async () => expect(await cards()).toHaveLength(1))
  })

  it.each([
    ['Stop asking', 'Stop asking Ana Diaz?', false, 'Asking stopped'],
    ['There is a problem', 'There is a problem with Ana Diaz?', true, 'Problem noted'],
  ])('are stopped after a confirmation: %s', async (button, title, problem, expectedText) => {
    const path = `/api/reviews/asks/${open.id}/stop`
    server.on('POST', path, { body: { ...open, state: 'stopped', canStop: false } })
    const { user } = renderApp('/app/reviews?tab=asked')
    await user.click((await card(0)).getByRole('button', { name: button }))
    await user.click(within(await screen.findByRole('dialog', { name: title })).getByRole('button', { name: button }))
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
    const request = server.requests.findLast(({ method, url }) => method === 'POST' && new URL(url).pathname === path)
    expect(await request?.json()).toEqual({ problem })
    expect((await card(1)).queryByRole('button', { name: button })).not.toBeInTheDocument()
  })
})

describe('monthly report', () => {
  const rows = [
    buildReportRow({ customerName: 'Ana Diaz' }),
    buildReportRow({
      customerName: 'Ben Carter',
      jobNumber: 1008,
      outcome: 'not_asked',
      why: 'opted_out',
      reason: 'They asked for no more messages',
      askedAt: null,
      channel: null,
    }),
  ]
  const full = buildReport({
    jobs: 50,
    asked: 44,
    notAsked: 6,
    share: 88,
    reasons: [
      { why: 'opted_out', reason: 'They asked for no more messages', count: 4 },
      { why: 'no_contact', reason: 'No way to reach them is open', count: 2 },
    ],
    rows,
  })
  let report = full
  let months: (string | null)[]

  beforeEach(() => {
    months = []
    report = full
    server.on('GET', '/api/reviews/report', (_request, url) => {
      if (url.searchParams.get('format') === 'csv')
        return {
          body: 'x',
          headers: {
            'Content-Disposition': `attachment; filename="review-requests-${url.searchParams.get('month')}.csv"`,
          },
        }
      months.push(url.searchParams.get('month'))
      return { body: report }
    })
  })

  it('shows the share asked with reasons of the rest, per job', async () => {
    renderApp('/app/reviews?tab=report&month=2025-11')
    expect(await screen.findByText('44 of 50')).toBeInTheDocument()
    expect(screen.getByText('88%')).toBeInTheDocument()
    expect(
      within(screen.getByRole('list', { name: 'Reasons' }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['4They asked for no more messages', '2No way to reach them is open'])
    const table = within(screen.getByRole('table', { name: 'Finished jobs, oldest first' }))
    expect(
      table.getByRole('row', { name: /#1007.*Ana Diaz.*Nov 20, 2026.*Asked.*Nov 20, 2026, by SMS/ }),
    ).toBeInTheDocument()
    expect(
      table.getByRole('row', { name: /#1008.*Ben Carter.*Not asked.*They asked for no more messages/ }),
    ).toBeInTheDocument()
    expect(screen.getByText('The first 2 of 50. The CSV has all of them.')).toBeInTheDocument()
  })

  it('pages through months, none in the future', async () => {
    const { user } = renderApp('/app/reviews?tab=report&month=2025-01')
    expect(await screen.findByRole('heading', { name: 'January 2025' })).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Month before' }))
    expect(await screen.findByRole('heading', { name: 'December 2024' })).toBeInTheDocument()
    await waitFor(() => expect(months).toEqual(['2025-01', '2024-12']))
    renderApp('/app/reviews?tab=report&month=2199-01')
    await waitFor(() => expect(screen.getAllByRole('button', { name: 'Month after' }).at(-1)).toBeDisabled())
  })

  it('empty month: says so; exported as CSV', async () => {
    const saved: string[] = []
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
    report = buildReport({ jobs: 0, asked: 0, share: null, rows: [] })
    const { user } = renderApp('/app/reviews?tab=report&month=2025-11')
    expect(await screen.findByText('No job was finished in this month.')).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Export CSV' }))
    expect(await screen.findByText('The month has been exported to CSV')).toBeInTheDocument()
    expect(saved).toEqual(['review-requests-2025-11.csv'])
  })
})
