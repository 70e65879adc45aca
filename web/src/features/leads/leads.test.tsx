import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildLead, buildProblem, buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const listPath = `/api/leads/${user.orgId}`
/** For so long the typing has to rest. */
const SEARCH_DEBOUNCE_MS = 250
const carla = buildLead({ name: 'Carla Customer', service: 'plumbing' })
const ben = buildLead({
  name: 'Ben Builder',
  service: 'roofing',
  phone: '773-555-0123',
  phoneE164: '+17735550123',
  source: '',
  stage: 'Quoted',
  quotedTotal: 1250.5,
})

function answerList(leads: readonly unknown[], headers: Record<string, string> = {}) {
  server.on('GET', listPath, { body: leads, headers: { 'X-Total-Count': String(leads.length), ...headers } })
}

const rowOf = async (name: string) => {
  const row = (await screen.findByText(name)).closest('tr')
  if (!row) throw new Error(`${name} stands in no row`)
  return within(row)
}

beforeAll(loadLeadScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  answerList([carla, ben])
})

describe('leads list', () => {
  it('shows each lead’s columns, and links to its page', async () => {
    renderApp('/app/leads')
    expect(await screen.findByRole('heading', { name: 'Automated Leads Tracker' })).toBeInTheDocument()
    expect(await screen.findByText('Total leads: 2')).toBeInTheDocument()
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Name',
      'Phone',
      'Service',
      'Stage',
      'Value',
      'Date',
      'Source',
      'Details',
    ])
    const row = await rowOf('Ben Builder')
    expect(row.getByRole('link', { name: '(773) 555-0123' })).toHaveAttribute('href', 'tel:+17735550123')
    expect(row.getByText('Roofing')).toBeInTheDocument()
    expect(row.getByText('Nov 20, 2026')).toBeInTheDocument()
    expect(row.getByText('Website')).toBeInTheDocument()
    expect(row.getByText('Quoted')).toBeInTheDocument()
    expect(row.getByText('$1,250.50')).toBeInTheDocument()
    expect((await rowOf('Carla Customer')).getByText('Not quoted')).toBeInTheDocument()
    expect(row.getByRole('link', { name: /^View Details/ })).toHaveAttribute('href', `/lead/${ben.id}`)
  })

  it('shows the response deadline as text, re-rendering only the badge', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: new Date('2026-11-21T15:59:50Z') })
    const promise = {
      state: 'open',
      words: 'within 24 hours',
      madeAt: '2026-11-20T22:00:00.000Z',
      dueAt: '2026-11-21T22:00:00.000Z',
      warnAt: '2026-11-21T16:00:00.000Z',
      answeredAt: null,
    } as const
    answerList([
      buildLead({ name: 'Nora Field', promise }),
      buildLead({ name: 'Otto Brand', promise: { ...promise, state: 'kept', answeredAt: '2026-11-21T00:00:00.000Z' } }),
    ])
    renderApp('/app/leads')
    const row = await rowOf('Nora Field')
    const mark = row.getByText('Answer by 4:00 PM today, 6 h left')
    expect(mark).toHaveClass('text-muted')
    act(() => void vi.advanceTimersByTime(15_000))
    expect(row.getByText('Answer by 4:00 PM today, 5 h left')).toHaveClass('text-warning')
    // No fetch in between: only the device's clock advances.
    vi.setSystemTime(new Date('2026-11-22T00:00:01Z'))
    act(() => void vi.advanceTimersByTime(15_000))
    expect(row.getByText('Promised by 4:00 PM today, 2 h late')).toHaveClass('text-error')
    expect((await rowOf('Otto Brand')).queryByText(/Promised|Answer by/)).not.toBeInTheDocument()
    vi.useRealTimers()
  })

  it('shows cards on a phone: the whole card is a link, with one number or a message link', async () => {
    vi.stubGlobal('matchMedia', () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    answerList([
      buildLead({ name: '(312) 555-0199', stage: 'Paid', collectedAmount: 300 }),
      buildLead({ name: 'Mia Mail', phone: '', phoneE164: null, email: 'mia@home.test' }),
    ])
    renderApp('/app/leads')
    const [caller, writer] = within(await screen.findByRole('list', { name: 'Leads, latest activity' })).getAllByRole(
      'listitem',
    )
    expect(within(caller ?? document.body).getByRole('link', { name: /^Call ?\(312\) 555-0199$/ })).toHaveAttribute(
      'href',
      'tel:+13125550199',
    )
    expect(within(caller ?? document.body).getAllByText('(312) 555-0199')).toHaveLength(2)
    expect(within(caller ?? document.body).getByText('Paid')).toBeInTheDocument()
    expect(within(caller ?? document.body).getByText('$300')).toBeInTheDocument()
    expect(within(writer ?? document.body).getByRole('link', { name: 'View Details of Mia Mail' })).toBeInTheDocument()
    expect(within(writer ?? document.body).getByRole('link', { name: /^Email ?Mia Mail$/ })).toHaveAttribute(
      'href',
      'mailto:mia@home.test',
    )
    expect(within(writer ?? document.body).getByText('No phone')).toBeInTheDocument()
  })

  it('shows N/A without a date', async () => {
    answerList([{ ...carla, createdAt: null }])
    renderApp('/app/leads')
    expect((await rowOf('Carla Customer')).getByText('N/A')).toBeInTheDocument()
  })

  it('marks held, urgent, repeated and waiting leads', async () => {
    answerList([
      buildLead({ name: 'Wes', waitingSince: new Date(Date.now() - 3 * 60 * 60_000).toISOString() }),
      buildLead({ name: 'Hal', heldReason: 'rate_limited' }),
      buildLead({ name: 'Nia', needsAttention: true }),
      buildLead({ name: 'Abe', touchCount: 3 }),
      buildLead({ name: 'Cal', touchCount: 4, missedCalls: 4 }),
    ])
    renderApp('/app/leads')
    expect((await rowOf('Hal')).getByText('Held')).toBeInTheDocument()
    expect((await rowOf('Nia')).getByText('Needs attention')).toBeInTheDocument()
    expect((await rowOf('Abe')).getByText('Got in touch 3 times')).toBeInTheDocument()
    const caller = await rowOf('Cal')
    expect(caller.getByText('Called 4x')).toBeInTheDocument()
    expect(caller.queryByText(/^Got in touch/)).not.toBeInTheDocument()
    expect((await rowOf('Wes')).getByText('Waiting 3 h')).toBeInTheDocument()
  })

  it('empty: explains, and copies the form link', async () => {
    answerList([])
    const app = renderApp('/app/leads')
    expect(await screen.findByRole('heading', { name: 'No leads yet' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: /acme-plumbing/ })).toHaveAttribute('href', '/lead?org=acme-plumbing')
    await app.user.click(screen.getByRole('button', { name: 'Copy link' }))
    expect(await screen.findByText('Link copied')).toBeInTheDocument()
    expect(await navigator.clipboard.readText()).toBe(`${location.origin}/lead?org=acme-plumbing`)
  })

  it('load error: shown with a retry', async () => {
    server.on(
      'GET',
      listPath,
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    const app = renderApp('/app/leads')
    expect(await screen.findByText('The database is away.')).toBeInTheDocument()
    answerList([carla])
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  })

  it('loads more on demand', async () => {
    server.on('GET', listPath, (_request, url) =>
      url.searchParams.get('cursor') === 'c 2'
        ? { body: [ben], headers: { 'X-Total-Count': '2' } }
        : {
            body: [carla],
            headers: { 'X-Total-Count': '2', Link: `<${listPath}?limit=100&cursor=c%202>; rel="next"` },
          },
    )
    const app = renderApp('/app/leads')
    await app.user.click(await screen.findByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Ben Builder')).toBeInTheDocument()
    expect(screen.getByText('Carla Customer')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
  })
})

describe('leads search', () => {
  it('is debounced and shows the server’s result', async () => {
    const asked: string[] = []
    server.on('GET', listPath, (_request, url) => {
      const q = url.searchParams.get('q')
      if (q !== null) asked.push(q)
      return { body: q === null ? [carla, ben] : [ben], headers: { 'X-Total-Count': q === null ? '2' : '1' } }
    })
    renderApp('/app/leads')
    await screen.findByText('Carla Customer')
    const search = screen.getByRole('searchbox')
    // Typed by a clock of its own and without a pause of the test: however busy the machine is, no key comes too late.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      for (const typed of ['r', 'ro', 'roo', 'roof']) {
        fireEvent.change(search, { target: { value: typed } })
        act(() => void vi.advanceTimersByTime(SEARCH_DEBOUNCE_MS - 1))
      }
      expect(screen.getByText('Carla Customer')).toBeInTheDocument()
      act(() => void vi.advanceTimersByTime(1))
    } finally {
      vi.useRealTimers()
    }
    expect(await screen.findByText('1 lead found')).toBeInTheDocument()
    expect(screen.queryByText('Carla Customer')).not.toBeInTheDocument()
    expect(asked).toEqual(['roof'])
    expect(screen.getByText('Total leads: 1')).toBeInTheDocument()
  })

  it('no match: says so', async () => {
    server.on('GET', listPath, (_request, url) => (url.searchParams.has('q') ? { body: [] } : { body: [carla] }))
    const app = renderApp('/app/leads')
    await screen.findByText('Carla Customer')
    await app.user.type(screen.getByRole('searchbox'), 'zzz')
    expect(await screen.findByText('No leads found matching your search.')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Clear search' }))
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  })

  it('offline: searches loaded rows', async () => {
    const app = renderApp('/app/leads')
    await screen.findByText('Carla Customer')
    server.goOffline()
    await app.user.type(screen.getByRole('searchbox'), '773 555')
    expect(await screen.findByText('1 lead found among those saved on this device')).toBeInTheDocument()
    expect(screen.getByText('Ben Builder')).toBeInTheDocument()
    expect(screen.queryByText('Carla Customer')).not.toBeInTheDocument()
  })
})

describe('leads export', () => {
  const saved: string[] = []
  beforeEach(() => {
    saved.length = 0
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
  })

  it.each([
    ['CSV', 'csv'],
    ['JSON', 'json'],
  ] as const)('saves %s under the server’s name with a toast', async (label, format) => {
    const asked: URLSearchParams[] = []
    server.on('GET', '/api/leads/export', (_request, url) => {
      asked.push(url.searchParams)
      return { body: 'rows', headers: { 'Content-Disposition': `attachment; filename="leads-2026-11-21.${format}"` } }
    })
    const app = renderApp('/app/leads?q=carla')
    await app.user.click(await screen.findByRole('button', { name: `Export ${label}` }))
    expect(await screen.findByText('Export successful')).toBeInTheDocument()
    expect(screen.getByText(`Leads data has been exported to ${label}`)).toBeInTheDocument()
    expect(saved).toEqual([`leads-2026-11-21.${format}`])
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({ format, q: 'carla' })
  })

  it('failure: explains', async () => {
    server.on(
      'GET',
      '/api/leads/export',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    const app = renderApp('/app/leads')
    await app.user.click(await screen.findByRole('button', { name: 'Export CSV' }))
    expect((await screen.findByText('Export failed')).parentElement).toHaveTextContent('The database is away.')
    expect(saved).toEqual([])
  })
})

describe('new lead while the list is open', () => {
  it('appears, is marked and announced', async () => {
    renderApp('/app/leads')
    await screen.findByText('Carla Customer')
    await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
    const nora = buildLead({ name: 'Nora Newcomer', createdAt: '2026-11-21T10:00:00.000Z' })
    answerList([nora, carla, ben])
    act(() => FakeEventSource.opened.at(-1)?.say('lead', { id: nora.id }))
    expect((await rowOf('Nora Newcomer')).getByText('Just in')).toBeInTheDocument()
    expect((await rowOf('Carla Customer')).queryByText('Just in')).not.toBeInTheDocument()
    expect(screen.getByText('New lead: Nora Newcomer, Plumbing')).toHaveAttribute('aria-live', 'polite')
    await waitFor(() => expect(screen.getByText('Total leads: 3')).toBeInTheDocument())
  })
})
