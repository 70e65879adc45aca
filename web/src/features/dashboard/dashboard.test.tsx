import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { liveState } from '@/lib/live-state'
import { buildProblem, buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildKpis, buildMonths, buildSpan, noReceivables } from '@/testing/figure-builders'
import { buildJob } from '@/testing/job-builders'
import { loadDashboard } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { buildSettings } from '@/testing/settings'
import { buildWorkItem } from '@/testing/work-builders'
import { POLL_MS } from './queries'

let server: FakeServer
const user = buildUser({ name: 'Olivia Owner' })
const KPIS = `/api/kpis/${user.orgId}`
const DAYS = `/api/daily-metrics/${user.orgId}`
const rows = (name: string) => `/app/rows-of-${name}`
const figure = (value: number, name: string) => ({ value, rows: rows(name) })

const week = buildSpan({
  newLeads: figure(12, 'leads'),
  autoReplied: figure(11, 'auto'),
  autoReplyRate: 92,
  answers: {
    ...buildSpan().answers,
    auto: { count: 11, medianMinutes: 0.05, p90Minutes: 0.2 },
    human: { count: 6, medianMinutes: 14, p90Minutes: 95 },
    averageMinutes: 1.5,
  },
  paidJobs: figure(4, 'paid'),
  unpaidJobs: figure(2, 'unpaid'),
  unpaidTotal: figure(1200, 'unpaid'),
  timeSaved: {
    hours: 2.5,
    autoReplies: { actions: 12, minutesEach: 5, hours: 1 },
    followUps: { actions: 15, minutesEach: 4, hours: 1 },
    scheduling: { actions: 3, minutesEach: 10, hours: 0.5 },
    rows: rows('saved'),
  },
  reviews: { asked: figure(10, 'asked'), received: figure(3, 'received'), average: 4.83 },
  promises: { kept: figure(3, 'kept'), broken: figure(2, 'broken') },
})
const month = buildSpan({
  from: '2026-11-01',
  to: '2026-11-22',
  revenue: figure(12_450.5, 'revenue'),
  jobsDone: figure(7, 'done'),
  margin: { amount: 8092.83, percent: 65, cost: 4357.67, overhead: 0, isEstimate: true, rows: rows('margin') },
})
const receivables = {
  ...noReceivables,
  open: { count: 5, total: 5400, rows: rows('open') },
  overdue: { count: 4, total: 4100.25, rows: rows('overdue') },
  over30Days: { count: 3, total: 3000, rows: rows('over30') },
  over60Days: { count: 1, total: 1000, rows: rows('over60') },
}
const busy = buildKpis({
  week,
  month,
  receivables,
  priorWeek: buildSpan({ from: '2026-11-09', to: '2026-11-15', newLeads: figure(8, 'prior') }),
  priorMonth: buildSpan({ from: '2026-10-01', to: '2026-10-31', revenue: figure(9800, 'october') }),
  months: buildMonths((at) => ({ revenue: 1000 * at, profit: 650 * at, isEstimate: true })),
})
const today = { from: '2026-11-22', days: 1, crews: [], jobs: [], tray: [], trayTotal: 0, open: {}, conflicts: [] }

/** Where the link of that name leads. */
const leadsTo = async (name: string | RegExp) => (await screen.findByRole('link', { name })).getAttribute('href')
const panel = async (name: string) => {
  const found = (await screen.findAllByRole('heading', { level: 2, name })).at(-1)?.closest('section')
  if (!found) throw new Error(`There is no panel ${name}`)
  return found
}

beforeAll(loadDashboard)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', KPIS, { body: busy })
  server.on('GET', DAYS, { body: { days: [] } })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `/api/leads/${user.orgId}`, { body: [] })
  server.on('GET', '/api/schedule', { body: today })
  liveState.set('connecting')
})

describe('figures', () => {
  it.each([
    ['12 new leads this week, Nov 16 to Nov 22', 'leads'],
    [/^4 more than the week before \(8\) Nov 9 to Nov 15$/, 'prior'],
    ['$12,450.50 revenue in November so far', 'revenue'],
    ['7 jobs completed in November', 'done'],
    ['October: $9,800 revenue', 'october'],
    ['$8,092.83 margin in November so far, by its completed jobs', 'margin'],
    ['$4,100.25 past due now', 'overdue'],
    ['$5,400 open in all to be paid by 5 open invoices', 'open'],
    [/^92% of the leads this week were answered automatically/, 'auto'],
    ['11 of 12 leads answered automatically this week', 'auto'],
    [/^3 · \$3,000 past due for more than 30 days/, 'over30'],
    ['1 · $1,000 past due for more than 60 days', 'over60'],
    [/^4 jobs paid this week/, 'paid'],
    [/^2 · \$1,200 issued this week and still to be paid/, 'unpaid'],
    ['3 of 5 promised answers due this week were given in time', 'kept'],
    ['2 promised answers due this week were not given in time', 'broken'],
    [/^2\.5 hours saved this week/, 'saved'],
    [/^3 reviews received this week, Nov 16 to Nov 22$/, 'received'],
    [/^10 reviews requested this week/, 'asked'],
  ])('%s opens its rows', async (name, which) => {
    renderApp('/app')
    const links = await screen.findAllByRole('link', { name })
    expect(links.map((link) => link.getAttribute('href'))).toContain(rows(which))
  })

  it('show waiting times and the time saved by each automation', async () => {
    renderApp('/app')
    expect(await panel('Automation Performance')).toHaveTextContent(
      /First automatic replymedian; 9 of 10 within 12 s3 s.*First answer by a personmedian; 9 of 10 within 1\.6 h14 min/,
    )
    expect(await panel('Time Saved')).toHaveTextContent(
      /Auto replies12 × 5 min1\.0 h.*Follow-ups15 × 4 min1\.0 h.*Scheduling3 × 10 min0\.5 h/,
    )
    expect(await panel('Reviews Tracking')).toHaveTextContent('received out of 10 requested this week, 4.83 stars')
  })

  it('mark estimates, and explain the mark', async () => {
    renderApp('/app')
    const tile = await panel('Monthly Margin')
    expect(tile).toHaveTextContent('November so farest. (Estimate: the costs of some jobs are not noted)')
    expect(tile).toHaveTextContent('65% of revenue')
    expect(await screen.findByText(/rests on your usual margin/)).toBeInTheDocument()
  })

  it('promises: none due shows no broken ones', async () => {
    server.on('GET', KPIS, { body: { ...busy, week: buildSpan() } })
    renderApp('/app')
    expect(await screen.findByRole('link', { name: '– no promised answer was due this week' })).toBeInTheDocument()
    expect(screen.queryByText('Promises of an answer broken')).not.toBeInTheDocument()
  })

  it('say that counting is still running', async () => {
    server.on('GET', KPIS, { body: buildKpis({ isCounted: false }) })
    renderApp('/app')
    expect(await screen.findByText('Still counting')).toBeInTheDocument()
  })

  it('of a business without figures: real zeros without marks', async () => {
    server.on('GET', KPIS, { body: buildKpis() })
    renderApp('/app')
    expect(await panel('Monthly Margin')).toHaveTextContent(
      'Monthly Margin$0 margin in November so far, by its completed jobsNovember so far',
    )
    expect(screen.queryByText('est.')).not.toBeInTheDocument()
    expect(await screen.findByText('The first payment draws the first bar.')).toBeInTheDocument()
  })
})

describe('setup list', () => {
  const step = (key: Schema['SetupStepKey'], parts: Partial<Schema['SetupStep']> = {}): Schema['SetupStep'] => ({
    key,
    isDone: false,
    isUrgent: false,
    isHidden: false,
    ...parts,
  })
  const settings = `/api/org/${user.orgId}/settings`

  it('takes the place of the zeros of a new business', async () => {
    server.on('GET', KPIS, { body: buildKpis() })
    server.on('GET', '/api/setup', { body: [step('number'), step('crew'), step('hours', { isDone: true })] })
    renderApp('/app')
    expect(await screen.findByRole('heading', { name: 'Set up your business in ten minutes' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Start' })).toHaveAttribute('href', '/app/start')
    expect(screen.getByRole('link', { name: /^Get a phone number/ })).toHaveAttribute('href', '/app/start?step=number')
    expect(screen.getByRole('link', { name: /lead\?org=acme-plumbing/ })).toHaveAttribute(
      'href',
      '/lead?org=acme-plumbing',
    )
    expect(screen.queryByRole('link', { name: /^Set your hours/ })).not.toBeInTheDocument()
    expect(screen.queryByRole('heading', { name: 'Monthly Margin' })).not.toBeInTheDocument()
  })

  it('is short beside the figures, and can be hidden and undone', async () => {
    server.on('GET', '/api/setup', { body: [step('cards')] })
    server.on('PATCH', settings, () => {
      server.on('GET', '/api/setup', { body: [step('cards', { isHidden: true })] })
      return { body: buildSettings({ setupList: { isHidden: true } }) }
    })
    const app = renderApp('/app')
    expect(await screen.findByRole('heading', { name: 'Finish your setup' })).toBeInTheDocument()
    expect(screen.getByText('$4,100')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Hide' }))
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Finish your setup' })).not.toBeInTheDocument())
    expect(await screen.findByText('Setup list hidden')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(2))
    expect(await server.requests.findLast(({ method }) => method === 'PATCH')?.json()).toEqual({
      setupList: { isHidden: false },
    })
  })

  it('shows what is urgent even when hidden, without a way to hide it', async () => {
    server.on('GET', '/api/setup', { body: [step('recipients', { isUrgent: true }), step('crew', { isHidden: true })] })
    renderApp('/app')
    expect(await screen.findByRole('link', { name: /^Choose who hears about requests/ })).toHaveTextContent('Urgent')
    expect(screen.queryByRole('link', { name: /^Add your crew/ })).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Hide' })).not.toBeInTheDocument()
  })
})

describe('yearly trends', () => {
  it('show a chart with a sentence, and a table whose months open their payments', async () => {
    const app = renderApp('/app')
    expect(
      await screen.findByRole('img', {
        name: /^Revenue and profit by month, December 2025 to November 2026: \$66,000 revenue/,
      }),
    ).toBeInTheDocument()
    expect(await leadsTo('$66,000 revenue of the last twelve months')).toBe(
      '/app/payments?from=2025-12-01&to=2026-11-30',
    )
    await app.user.click(screen.getByRole('button', { name: 'Show data' }))
    const table = screen.getByRole('table', { name: 'Revenue, costs and profit by month, oldest first' })
    expect(within(table).getAllByRole('row')).toHaveLength(13)
    expect(within(table).getByRole('link', { name: '$11,000.00 revenue in November 2026' })).toHaveAttribute(
      'href',
      '/app/payments?from=2026-11-01&to=2026-11-30',
    )
    expect(screen.queryByRole('img', { name: /^Revenue/ })).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Show chart' }))
    expect(screen.getByRole('img', { name: /^Revenue/ })).toBeInTheDocument()
  })
})

describe('worklist of the dashboard', () => {
  const region = async () => within(await screen.findByRole('region', { name: 'Next up' }))

  it('shows who waits', async () => {
    const ana = buildWorkItem({ customerName: 'Ana Arroyo' })
    server.on('GET', '/api/worklist', { body: [ana] })
    server.on('GET', '/api/worklist/count', { body: { waiting: 1, late: 0, isCapped: false } })
    renderApp('/app')
    const list = await region()
    expect(await list.findByRole('link', { name: 'Answer: Ana Arroyo' })).toBeInTheDocument()
    expect(list.getByText('1 waiting')).toBeInTheDocument()
  })

  it('is shown together with the figures, and never says that nobody waits while it is loading', async () => {
    let arrive: () => void = () => undefined
    const answer = new Promise<void>((done) => {
      arrive = done
    })
    server.on('GET', KPIS, { body: buildKpis() })
    server.on('GET', '/api/worklist', async () => {
      await answer
      return { body: [] }
    })
    renderApp('/app')
    await waitFor(() => expect(server.requests.some(({ url }) => url.includes(KPIS))).toBe(true))
    expect(screen.queryByRole('region', { name: 'Next up' })).not.toBeInTheDocument()
    expect(screen.queryByText("You're all caught up")).not.toBeInTheDocument()
    arrive()
    expect(await (await region()).findByText("You're all caught up")).toBeInTheDocument()
  })

  it('shows its own load error; figures and visits stay', async () => {
    server.on('GET', '/api/worklist', buildProblemResponse(buildProblem(503, 'unavailable')))
    server.on('GET', '/api/schedule', {
      body: {
        ...today,
        jobs: [buildJob({ customer: 'Ben Builder', date: '2026-11-22T15:00:00.000Z', status: 'In Progress' })],
      },
    })
    renderApp('/app')
    expect(await (await region()).findByRole('alert')).toHaveTextContent('Not available right now')
    expect(screen.getByText('$4,100')).toBeInTheDocument()
    const day = within(screen.getByRole('region', { name: "Today's jobs" }))
    expect(
      await day.findByRole('link', { name: /9:00 AM.*Ben Builder.*In Progress.*Plumbing, Unassigned/ }),
    ).toBeInTheDocument()
  })

  it('comes first, on a phone and at the desk', async () => {
    const order = () =>
      screen
        .getAllByRole('heading', { level: 2 })
        .map((heading) => heading.textContent)
        .filter((text) => text !== "You're all caught up")
    const expected = [
      'Next up',
      "Today's jobs",
      'New Leads',
      'Monthly Revenue',
      'Monthly Margin',
      'Past Due Invoices',
      'Automation Performance',
      'Past Due Invoices',
      'Time Saved',
      'Reviews Tracking',
      'Monthly P&L Trends',
    ]
    const atDesk = renderApp('/app')
    await screen.findByRole('heading', { name: 'Monthly P&L Trends' })
    expect(order()).toEqual(expected)
    atDesk.unmount()
    vi.stubGlobal('matchMedia', () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    renderApp('/app')
    await screen.findByRole('heading', { name: 'Monthly P&L Trends' })
    expect(order()).toEqual(expected)
  })
})

describe('dashboard updates', () => {
  const asked = (path: string) => server.requests.filter(({ url }) => new URL(url).pathname === path).length
  const mark = () => screen.getByRole('status', { name: 'Live updates' })

  it('follow live events and say LIVE', async () => {
    renderApp('/app')
    await screen.findByText('$4,100')
    act(() => FakeEventSource.opened.at(-1)?.open())
    await waitFor(() => expect(mark()).toHaveTextContent(/^LIVE$/))
    server.on('GET', KPIS, { body: { ...busy, week: { ...week, newLeads: figure(13, 'leads') } } })
    act(() => FakeEventSource.opened.at(-1)?.say('lead', { id: 'l1' }))
    expect(await screen.findByRole('link', { name: /^13 new leads this week/ })).toBeInTheDocument()
    // Once for the page and once for the event: that the stream opened is no news.
    expect(asked(KPIS)).toBe(2)
  })

  it('say since when they are stale', async () => {
    renderApp('/app')
    await screen.findByText('$4,100')
    act(() => FakeEventSource.opened.at(-1)?.fail())
    expect(mark()).toHaveTextContent(/^OFFLINE – last updated \d+:\d\d [AP]M$/)
  })

  it('poll every 120 seconds besides', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      renderApp('/app')
      await screen.findByText('$4,100')
      // The days are asked for in a later step than the figures.
      await waitFor(() => expect(asked(DAYS)).toBe(1))
      const [kpis, days] = [asked(KPIS), asked(DAYS)]
      await act(() => vi.advanceTimersByTimeAsync(POLL_MS - 5000))
      expect([asked(KPIS), asked(DAYS)]).toEqual([kpis, days])
      await act(() => vi.advanceTimersByTimeAsync(6000))
      expect([asked(KPIS), asked(DAYS)]).toEqual([kpis + 1, days + 1])
    } finally {
      vi.useRealTimers()
    }
  })

  it('keep the old figures when a request fails, say so, and retry', async () => {
    const app = renderApp('/app')
    await screen.findByText('$4,100')
    server.on('GET', KPIS, buildProblemResponse(buildProblem(500, 'internal')))
    act(() => FakeEventSource.opened.at(-1)?.say('payment', { id: 'p1' }))
    expect(await screen.findByText(/^Could not refresh, as of/)).toBeInTheDocument()
    expect(screen.getByText('$4,100')).toBeInTheDocument()
    server.on('GET', KPIS, { body: busy })
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.queryByText(/^Could not refresh/)).not.toBeInTheDocument())
  })

  it('without any answer: an error in place of the figures, the rest stays', async () => {
    server.on('GET', KPIS, buildProblemResponse(buildProblem(500, 'internal')))
    renderApp('/app')
    expect(await screen.findByRole('heading', { name: 'Figures could not be loaded' })).toBeInTheDocument()
    expect(screen.getByText('No jobs today.')).toBeInTheDocument()
  })
})
