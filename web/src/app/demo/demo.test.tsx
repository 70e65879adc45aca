import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '@/app/query-client'
import { DEMO_REFUSAL, resetDemoMode } from '@/lib/demo'
import { deviceStore } from '@/offline/device-store'
import { buildConversation, buildLead, buildProblem, buildThread, buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildKpis, buildSpan } from '@/testing/figure-builders'
import { buildFile, buildJobDetail } from '@/testing/job-builders'
import { loadCrewScreens, loadDashboard, loadDemo, loadJobScreens, loadLeadScreens } from '@/testing/load-screens'
import { renderDemo } from '@/testing/render-app'
import { buildSettings } from '@/testing/settings'
import { buildWorkItem } from '@/testing/work-builders'

const viewer = buildUser({
  name: 'Dana Demo',
  email: 'dana@demo.example',
  orgSlug: 'demo',
  orgName: 'Sample Plumbing',
  isDemo: true,
})
const orgPath = `/api/org/${viewer.orgId}`
const carla = buildLead({ name: 'Carla Customer' })
const carlas = buildThread({ unread: 1 })
const today = { from: '2026-11-22', days: 1, crews: [], jobs: [], tray: [], trayTotal: 0, open: {}, conflicts: [] }
let server: FakeServer

const changes = () => server.requests.filter(({ method }) => method !== 'GET')
const refusal = () => screen.findByText(DEMO_REFUSAL, { selector: '[aria-label="Notifications (F8)"] *' })

beforeAll(() =>
  Promise.all([
    loadDemo(),
    loadDashboard(),
    loadLeadScreens(),
    loadJobScreens(),
    loadCrewScreens(),
    import('@/features/leads/board/board-view'),
    import('@/features/inbox/inbox.route'),
    import('@/features/settings/settings.route'),
    import('@/features/settings/pages/topic-page'),
    import('@/features/settings/organization/business-card'),
    import('@/features/settings/control-panel/pages'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: viewer })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', `/api/kpis/${viewer.orgId}`, {
    body: buildKpis({ week: buildSpan({ newLeads: { value: 12, rows: '/app/leads?from=2026-11-16' } }) }),
  })
  server.on('GET', `/api/daily-metrics/${viewer.orgId}`, { body: { days: [] } })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/crews', { body: [] })
  server.on('GET', '/api/schedule', { body: today })
  server.on('GET', `/api/leads/${viewer.orgId}`, { body: [carla], headers: { 'X-Total-Count': '1' } })
})

describe('demonstration', () => {
  it('starts at the dashboard, and every link stays below /demo', async () => {
    const app = renderDemo()
    const figure = await screen.findByRole('link', { name: /^12 new leads this week/ })
    expect(location.pathname).toBe('/demo')
    expect(figure).toHaveAttribute('href', '/demo/app/leads?from=2026-11-16')
    const [sidebar = document.body] = screen.getAllByRole('navigation', { name: 'Main' })
    const links = within(sidebar).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href')).filter((href) => !href?.startsWith('/demo/app'))).toEqual([])
    expect(within(sidebar).getByRole('link', { current: 'page' })).toHaveTextContent('Dashboard')
    await app.user.click(figure)
    expect(await screen.findByRole('heading', { name: 'Automated Leads Tracker' })).toBeInTheDocument()
    expect(location.pathname).toBe('/demo/app/leads')
  })

  it('tells the way of a request in five steps, forward and back, and can be skipped', async () => {
    server.on('GET', '/api/payments', { body: [] })
    const app = renderDemo('/app/jobs')
    const tour = within(await screen.findByRole('region', { name: 'Tour' }))
    await app.user.click(tour.getByRole('button', { name: 'Start the tour' }))
    expect(tour.getByText('A request comes in')).toBeInTheDocument()
    expect(await screen.findByRole('heading', { name: 'Automated Leads Tracker' })).toBeInTheDocument()
    await app.user.click(tour.getByRole('button', { name: 'Next step' }))
    expect(tour.getByText('It is answered')).toBeInTheDocument()
    expect(location.pathname).toBe('/demo/app/inbox')
    await app.user.click(tour.getByRole('button', { name: 'Previous step' }))
    expect(location.pathname).toBe('/demo/app/leads')
    await app.user.click(tour.getByRole('button', { name: 'Skip the tour' }))
    expect(screen.queryByRole('region', { name: 'Tour' })).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Take the tour' }))
    expect(screen.getByRole('region', { name: 'Tour' })).toBeInTheDocument()
  })

  it('sends the demo header with every request', async () => {
    renderDemo('/app/leads')
    await screen.findByText('Carla Customer')
    expect(server.requests.filter(({ headers }) => headers.get('X-Toolbox-Demo') !== '1')).toEqual([])
    expect(FakeEventSource.opened.map(({ url }) => url)).toEqual(['/api/events?demo=1'])
  })

  it('adds the demo parameter to pictures and files', async () => {
    const [photo, paper] = [
      buildFile({ id: 'f1' }),
      buildFile({ id: 'f2', name: 'estimate.pdf', type: 'document', thumbUrl: null }),
    ]
    const job = buildJobDetail({ files: [photo, paper] })
    server.on('GET', `/api/jobs/${job.id}`, { body: job })
    const { container } = renderDemo(`/app/jobs/${job.id}?tab=files`)
    await screen.findByRole('heading', { level: 1 })
    await waitFor(() =>
      expect(container.querySelector('img[src="/api/files/f1?size=thumb&demo=1"]')).toBeInTheDocument(),
    )
    const own = [...container.querySelectorAll('[src^="/api/"], [href^="/api/"]')].map(
      (element) => element.getAttribute('src') ?? element.getAttribute('href'),
    )
    expect(own.filter((address) => !address?.endsWith('demo=1'))).toEqual([])
  })

  it('shows the banner above every screen, with a plain link out', async () => {
    renderDemo('/app/leads')
    const banner = within(await screen.findByRole('complementary', { name: 'Demonstration' }))
    expect(
      banner.getByText('This is a demonstration: the people are made up, and their dates move with today.'),
    ).toBeInTheDocument()
    expect(banner.getByRole('link', { name: 'Request A Demo' })).toHaveAttribute('href', '/checkout')
  })

  it('has neither a logout nor a link to a public form', async () => {
    const app = renderDemo('/app/leads')
    expect(await screen.findByRole('link', { name: 'Leave the demo' })).toHaveAttribute('href', '/')
    expect(screen.queryByRole('button', { name: 'Logout' })).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Account and display' }))
    expect(screen.getByText('dana@demo.example')).toBeInTheDocument()
    expect(screen.queryByRole('link', { name: /^Open your request form/ })).not.toBeInTheDocument()
  })
})

describe('change in the demonstration', () => {
  beforeEach(() => {
    server.on('GET', orgPath, {
      body: {
        id: viewer.orgId,
        slug: 'demo',
        name: 'Sample Plumbing',
        industry: 'Plumbing',
        phone: null,
        reviewLink: null,
        bookingLink: null,
        timezone: 'America/Chicago',
        smsNumber: null,
        postalAddress: null,
      },
    })
    server.on('GET', `${orgPath}/settings`, { body: buildSettings() })
    server.on('GET', '/api/booking', {
      body: {
        url: 'https://toolbox.test/book/demo',
        isLive: true,
        whyNot: null,
        outsideLink: null,
        nextFree: null,
        far: [],
      },
    })
  })

  it('is refused at once with a link, and the input stays', async () => {
    const app = renderDemo('/app/settings/business')
    const name = await screen.findByLabelText(/^Business name/)
    await app.user.type(name, ' & Sons')
    await app.user.tab()
    expect(await refusal()).toBeInTheDocument()
    expect(
      within(screen.getByRole('region', { name: 'Notifications (F8)' })).getByRole('button', {
        name: 'Request A Demo',
      }),
    ).toBeInTheDocument()
    expect(name).toHaveValue('Sample Plumbing & Sons')
    expect(changes()).toEqual([])
  })

  it('asks about unsaved input before a link leaves the page', async () => {
    const app = renderDemo('/app/settings/business')
    await app.user.type(await screen.findByLabelText(/^Business name/), ' & Sons')
    await app.user.tab()
    expect(await refusal()).toBeInTheDocument()
    await app.user.click(screen.getAllByRole('link', { name: 'Leads' })[0] ?? document.body)
    await app.user.click(await screen.findByRole('button', { name: 'Leave without saving' }))
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
    expect(location.pathname).toBe('/demo/app/leads')
  })

  it('is rolled back where it was shown optimistically', async () => {
    const moves = [{ to: 'Quoted', refused: null, needsReason: false }]
    server.on('GET', '/api/pipeline', {
      body: ['New', 'Quoted'].map((stage) => ({
        stage,
        count: stage === 'New' ? 1 : 0,
        total: 0,
        leads: stage === 'New' ? [carla] : [],
        next: null,
        moves,
      })),
    })
    const app = renderDemo('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: 'Move Carla Customer' }))
    await app.user.click(screen.getByRole('button', { name: 'Quoted' }))
    expect(await refusal()).toBeInTheDocument()
    const news = within(screen.getByRole('region', { name: 'New' }))
    await waitFor(() => expect(news.getByText('Carla Customer')).toBeInTheDocument())
    expect(changes()).toEqual([])
  })

  it('is rolled back on the worklist, which keeps its number', async () => {
    server.on('GET', '/api/worklist', { body: [buildWorkItem({ customerName: 'Wanda Waits' })] })
    server.on('GET', '/api/worklist/count', { body: { waiting: 1, late: 0, isCapped: false } })
    const app = renderDemo()
    await app.user.click(await screen.findByRole('button', { name: 'Mark as done: Wanda Waits' }))
    expect(await refusal()).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Mark as done: Wanda Waits' })).toBeInTheDocument()
    expect(screen.getByText('1 waiting')).toBeInTheDocument()
    expect(changes()).toEqual([])
  })

  it('is not stored in the outbox', async () => {
    const job = buildJobDetail({ scheduledAt: '2026-11-22T16:00:00Z' })
    server.on('GET', `/api/jobs/${job.id}`, { body: job })
    const app = renderDemo(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Start' }))
    expect(await refusal()).toBeInTheDocument()
    expect(await indexedDB.databases()).toEqual([])
  })

  it('asks neither server nor browser for push alerts', async () => {
    const ask = vi.fn<() => Promise<NotificationPermission>>()
    vi.stubGlobal('Notification', { permission: 'default', requestPermission: ask })
    vi.stubGlobal('PushManager', Object)
    Object.defineProperty(navigator, 'serviceWorker', {
      configurable: true,
      value: { getRegistration: async () => undefined },
    })
    server.on('GET', '/api/push/key', buildProblemResponse(buildProblem(404, 'not_found')))
    const app = renderDemo('/app/settings/alerts')
    await app.user.click(await screen.findByRole('button', { name: 'Turn on alerts' }))
    expect(await refusal()).toBeInTheDocument()
    expect(screen.queryByText('Alerts are still off')).not.toBeInTheDocument()
    expect(ask).not.toHaveBeenCalled()
    expect(server.requests.some(({ url }) => url.includes('/api/push/key'))).toBe(false)
    Reflect.deleteProperty(navigator, 'serviceWorker')
  })

  it('is refused silently when the app caused it, with a toast when a person did', async () => {
    const { customerId } = carlas
    server.on('GET', `/api/customers/${customerId}/conversation`, {
      body: buildConversation({
        thread: carlas,
        customer: { id: customerId },
        canText: { ok: true, why: null, smsLink: null },
      }),
    })
    const app = renderDemo(`/app/inbox/${customerId}`)
    const field = await screen.findByRole('textbox', { name: 'Text message' })
    await waitFor(() => expect(queryClient.getMutationCache().find({ status: 'error' })).toBeDefined())
    expect(screen.queryByText(DEMO_REFUSAL)).not.toBeInTheDocument()
    await app.user.type(field, 'On my way')
    await app.user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await refusal()).toBeInTheDocument()
    expect(within(screen.getByRole('log')).getByText('On my way')).toBeInTheDocument()
    expect(changes()).toEqual([])
  })
})

describe('Control Panel in the demonstration', () => {
  const NAMES = ['Lead Intake', 'Auto-Reply', 'Quote & Job Tracker', 'Review Booster', 'KPI Pulse']
  const TOOLS = ['leadIntake', 'autoReply', 'jobTracker', 'reviewBooster', 'kpiPulse'] as const

  beforeEach(() => {
    server.on('GET', '/api/system/status', {
      body: TOOLS.map((tool, at) => ({
        tool,
        name: NAMES[at],
        status: 'operational',
        detail: 'works',
        lastSuccessAt: null,
        checks: [],
      })),
    })
  })

  it('shows the five tools, and nothing of the host install', async () => {
    renderDemo('/app/settings/system-status')
    const tools = within(await screen.findByRole('list', { name: 'Tools' }))
    expect(tools.getAllByText('operational')).toHaveLength(5)
    for (const name of ['Addresses for Twilio', 'Work that stopped'])
      expect(screen.queryByRole('heading', { name })).not.toBeInTheDocument()
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
    expect(server.requests.filter(({ url }) => url.includes('/api/webhooks') || url.includes('/api/tasks'))).toEqual([])
  })

  it('sends nothing, and says so once', async () => {
    const app = renderDemo('/app/settings/tests')
    await app.user.click(await screen.findByRole('button', { name: 'Send Test Email' }))
    expect(await refusal()).toBeInTheDocument()
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
    expect(changes()).toEqual([])
  })
})

describe('signed-in owner in the demonstration', () => {
  const OWN = 'what the own business has on this device'

  beforeEach(async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ orgId: 'o1', id: 'u1' }) })
    await deviceStore.write('o1:u1', 'cache', OWN)
    server.on('GET', '/api/auth/me', { body: viewer })
    server.requests.length = 0
    localStorage.setItem('toolbox.visits', '5')
  })
  afterEach(async () => {
    history.replaceState(null, '', '/')
    resetDemoMode()
    await deviceStore.forget()
    await deviceStore.reopen()
  })

  const LEFT = { visits: '5', databases: ['toolbox-keys', 'toolbox:o1:u1'], kept: OWN }
  const leftOnDevice = async () => {
    history.replaceState(null, '', '/')
    resetDemoMode()
    return {
      visits: localStorage.getItem('toolbox.visits'),
      databases: (await indexedDB.databases())
        .map(({ name = '' }) => name)
        .toSorted((one, other) => one.localeCompare(other)),
      kept: await deviceStore.read('cache'),
    }
  }

  it('leaves no trace on the device', async () => {
    renderDemo('/app/leads')
    await screen.findByText('Carla Customer')
    globalThis.dispatchEvent(new Event('pagehide'))
    expect(await leftOnDevice()).toEqual(LEFT)
  })

  it('keeps the own session when the server knows no viewer', async () => {
    server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))
    renderDemo('/app/leads')
    expect(await screen.findByRole('heading', { name: 'This Toolbox has no demo' })).toBeInTheDocument()
    expect(await leftOnDevice()).toEqual(LEFT)
  })

  it('never sees the own business, whatever the server answers', async () => {
    server.on('GET', '/api/auth/me', { body: { ...viewer, isDemo: false } })
    renderDemo('/app/leads')
    expect(await screen.findByRole('heading', { name: 'This Toolbox has no demo' })).toBeInTheDocument()
    expect(server.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/api/auth/me'])
  })
})

describe('demonstration being set up', () => {
  it('shows the server’s text, and continues once it is ready', async () => {
    const detail = 'The demonstration is being made. Please try again in a moment.'
    server.on(
      'GET',
      '/api/auth/me',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail }), { 'Retry-After': '1' }),
    )
    renderDemo('/app/leads')
    expect(
      await screen.findByRole('heading', { level: 1, name: 'The demonstration is being set up' }),
    ).toBeInTheDocument()
    expect(screen.getByText(detail)).toBeInTheDocument()
    expect(screen.getByRole('status')).toHaveTextContent('Trying again by itself...')
    expect(screen.getByRole('link', { name: 'Leave the demonstration' })).toHaveAttribute('href', '/')
    server.on('GET', '/api/auth/me', { body: viewer })
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  })

  it('does not wait where there is no demonstration', async () => {
    server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(404, 'not_found')))
    renderDemo('/app/leads')
    expect(await screen.findByRole('heading', { name: 'This Toolbox has no demo' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login')
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Leave the demonstration' })).not.toBeInTheDocument()
    expect(server.requests).toHaveLength(1)
  })

  it('shows an error where waiting does not help', async () => {
    server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(500, 'internal')))
    const app = renderDemo('/app/leads')
    expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeInTheDocument()
    server.on('GET', '/api/auth/me', { body: viewer })
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  })
})
