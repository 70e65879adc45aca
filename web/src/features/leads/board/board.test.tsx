import 'fake-indexeddb/auto'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LeadStage } from '@/domain/lead'
import { storeKeys } from '@/offline/store-keys'
import { buildLead, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { getMoveOutcome, moveLeadToColumn } from './move-lead'
import type { BoardColumn } from './queries'

const user = buildUser()
const carla = buildLead({ name: 'Carla Customer', stage: 'New', quotedTotal: null })
const ben = buildLead({ name: 'Ben Builder', stage: 'Quoted', quotedTotal: 1250.5 })
const dora = buildLead({ name: 'Dora Done', stage: 'Done', quotedTotal: 300 })

type Ways = readonly [LeadStage, string | null, boolean][]
const WAYS: Record<LeadStage, Ways> = {
  New: [
    ['Quoted', null, false],
    ['Scheduled', null, false],
    ['Done', 'First put it to Scheduled.', false],
    ['Paid', 'First record the payment.', false],
  ],
  Quoted: [
    ['New', null, true],
    ['Scheduled', null, false],
    ['Done', 'First put it to Scheduled.', false],
    ['Paid', 'First record the payment.', false],
  ],
  Scheduled: [
    ['New', null, true],
    ['Quoted', null, true],
    ['Done', null, false],
    ['Paid', 'First record the payment.', false],
  ],
  Done: [
    ['New', 'First put it back.', true],
    ['Quoted', 'First put it back.', true],
    ['Scheduled', null, true],
    ['Paid', 'First record the payment.', false],
  ],
  Paid: [
    ['New', 'It is paid.', true],
    ['Quoted', 'It is paid.', true],
    ['Scheduled', 'It is paid.', true],
    ['Done', 'It is paid.', true],
  ],
}
const STAGES = Object.keys(WAYS) as LeadStage[]

function columns(
  leads: readonly ReturnType<typeof buildLead>[],
  more: Partial<Record<LeadStage, Partial<BoardColumn>>> = {},
): BoardColumn[] {
  return STAGES.map((stage) => {
    const here = leads.filter((lead) => lead.stage === stage)
    const total = here.reduce((sum, { quotedTotal }) => sum + (quotedTotal ?? 0), 0)
    const moves = WAYS[stage].map(([to, refused, needsReason]) => ({ to, refused, needsReason }))
    const { count = here.length, next = null } = more[stage] ?? {}
    return { stage, count, total, leads: here, next, moves }
  })
}

let server: FakeServer
const column = async (name: string) => within(await screen.findByRole('region', { name }))
const askedOf = async (path: string) =>
  Promise.all(
    server.requests
      .filter((request) => request.method === 'POST' && request.url.endsWith(path))
      .map((request) => request.clone().json()),
  )

beforeAll(async () => {
  await loadLeadScreens()
  await import('./board-view')
})

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', `/api/leads/${user.orgId}`, { body: [carla, ben, dora], headers: { 'X-Total-Count': '3' } })
  server.on('GET', '/api/pipeline', { body: columns([carla, ben, dora]) })
})

describe('lead board', () => {
  it('is selected above the list, remembered on the device, and shows column totals', async () => {
    const app = renderApp('/app/leads')
    await app.user.click(await screen.findByRole('button', { name: 'Board' }))
    const quoted = await column('Quoted')
    expect(quoted.getByText('Ben Builder')).toBeInTheDocument()
    expect(quoted.getAllByText('$1,250.50')).toHaveLength(2)
    expect(quoted.getByRole('heading', { name: 'Quoted1' })).toBeInTheDocument()
    expect((await column('Paid')).getByText('No leads here.')).toBeInTheDocument()
    expect(screen.getByText('Total leads: 3')).toBeInTheDocument()
    app.unmount()
    renderApp('/app/leads')
    expect(await screen.findByRole('region', { name: 'Scheduled' })).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Board' })).toHaveAttribute('aria-pressed', 'true')
  })

  it('loads the rest of a column on demand, each lead once', async () => {
    const late = buildLead({ name: 'Lara Late', stage: 'New' })
    server.on('GET', '/api/pipeline', { body: columns([carla], { New: { count: 2, next: 'c2' } }) })
    server.on('GET', `/api/leads/${user.orgId}`, (_request, url) => ({
      body: url.searchParams.get('cursor') === 'c2' && url.searchParams.get('stage') === 'New' ? [carla, late] : [],
    }))
    const app = renderApp('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: /^Show more ?of New$/ }))
    const news = await column('New')
    expect(await news.findByText('Lara Late')).toBeInTheDocument()
    expect(news.getAllByText('Carla Customer')).toHaveLength(1)
    expect(news.queryByRole('button', { name: /^Show more/ })).not.toBeInTheDocument()
  })

  it('shows search results, and an empty result', async () => {
    server.on('GET', '/api/pipeline', (_request, url) => ({
      body: columns(url.searchParams.get('q') === 'zzz' ? [] : [carla]),
    }))
    const app = renderApp('/app/leads?view=board')
    await column('New')
    await app.user.type(screen.getByRole('searchbox'), 'zzz')
    expect(await screen.findByText('No leads found matching your search.')).toBeInTheDocument()
  })

  it('shows one column at a time on a phone', async () => {
    vi.stubGlobal('matchMedia', () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    const app = renderApp('/app/leads?view=board')
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
    expect(screen.queryByText('Ben Builder')).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('tab', { name: 'Quoted 1' }))
    expect(screen.getByText('Ben Builder')).toBeInTheDocument()
  })
})

describe('moving a lead', () => {
  const answerMove = (stage: LeadStage) =>
    server.on('POST', `/api/leads/${carla.id}/stage`, {
      body: {
        ...buildLeadDetail({ id: carla.id, name: carla.name, stage }),
        undo: { eventId: 'e1', until: '2026-11-21T10:01:00.000Z' },
      },
    })

  it('by menu: optimistic, with Undo for a minute', async () => {
    answerMove('Quoted')
    server.on('POST', '/api/work/e1/undo', { body: { jobId: null, leadId: carla.id } })
    const app = renderApp('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: 'Move Carla Customer' }))
    const menu = within(screen.getByRole('dialog', { name: 'Move Carla Customer' }))
    expect(menu.queryByRole('button', { name: 'Done' })).not.toBeInTheDocument()
    expect(menu.getByText('First put it to Scheduled.')).toBeInTheDocument()
    server.on('GET', '/api/pipeline', { body: columns([{ ...carla, stage: 'Quoted' }, ben, dora]) })
    await app.user.click(menu.getByRole('button', { name: 'Quoted' }))
    expect(await screen.findByText('Moved to Quoted')).toBeInTheDocument()
    expect((await column('Quoted')).getByText('Carla Customer')).toBeInTheDocument()
    expect(await askedOf('/stage')).toEqual([{ stage: 'Quoted' }])
    server.on('GET', '/api/pipeline', { body: columns([carla, ben, dora]) })
    await app.user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Undone')).toBeInTheDocument()
    await waitFor(async () => expect((await column('New')).getByText('Carla Customer')).toBeInTheDocument())
  })

  it('refused by the server: rolled back with the reason', async () => {
    server.on(
      'POST',
      `/api/leads/${carla.id}/stage`,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Job 1007 is not done yet.' })),
    )
    const app = renderApp('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: 'Move Carla Customer' }))
    await app.user.click(screen.getByRole('button', { name: 'Quoted' }))
    expect(await screen.findByText('Job 1007 is not done yet.')).toBeInTheDocument()
    expect((await column('New')).getByText('Carla Customer')).toBeInTheDocument()
  })

  it('backwards: requires a reason', async () => {
    server.on('POST', `/api/leads/${ben.id}/stage`, {
      body: { ...buildLeadDetail({ id: ben.id, stage: 'New' }), undo: null },
    })
    const app = renderApp('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: 'Move Ben Builder' }))
    await app.user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'New' }))
    await app.user.click(screen.getByRole('button', { name: 'Move back' }))
    expect(screen.getByRole('alert')).toHaveTextContent('Please say why it goes back')
    await app.user.type(screen.getByRole('textbox', { name: /Why does it go back/ }), 'wrong house')
    await app.user.click(screen.getByRole('button', { name: 'Move back' }))
    expect(await screen.findByText('Moved to New')).toBeInTheDocument()
    expect(await askedOf('/stage')).toEqual([{ stage: 'New', reason: 'wrong house' }])
  })

  it('to Scheduled: offers a job or a plain move', async () => {
    answerMove('Scheduled')
    const app = renderApp('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: 'Move Carla Customer' }))
    await app.user.click(screen.getByRole('button', { name: 'Scheduled' }))
    expect(screen.getByRole('button', { name: 'Add a job' })).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Move without a job' }))
    expect(await screen.findByText('Moved to Scheduled')).toBeInTheDocument()
  })

  it('to Paid: records a payment', async () => {
    server.on('GET', `/api/leads/${dora.id}/money`, {
      body: {
        agreed: 300,
        invoiced: 0,
        collected: 0,
        refunded: 0,
        writtenOff: 0,
        owed: 300,
        credit: 0,
        depositDue: 0,
        depositPaid: 0,
        payments: [],
        invoices: [],
      },
    })
    const app = renderApp('/app/leads?view=board')
    await app.user.click(await screen.findByRole('button', { name: 'Move Dora Done' }))
    await app.user.click(screen.getByRole('button', { name: 'Paid' }))
    expect(await screen.findByRole('dialog', { name: 'Mark as Paid' })).toBeInTheDocument()
    expect(await screen.findByLabelText(/^Amount/)).toBeInTheDocument()
  })

  it('by mouse: drops on allowed columns only, Escape cancels', async () => {
    answerMove('Quoted')
    renderApp('/app/leads?view=board')
    const card = (await screen.findByText('Carla Customer')).closest('li') ?? document.body
    const over = (name: string) => {
      document.elementFromPoint = () => screen.getByRole('region', { name })
    }
    const carry = (name: string) => {
      over(name)
      fireEvent.pointerDown(card, { button: 0, pointerType: 'mouse', clientX: 0, clientY: 0 })
      fireEvent.pointerMove(globalThis as unknown as Element, { clientX: 40, clientY: 40 })
    }
    carry('Done')
    expect(
      within(screen.getByRole('region', { name: 'Done' })).getByText('First put it to Scheduled.'),
    ).toBeInTheDocument()
    expect(screen.getByText('Not to Done')).toBeInTheDocument()
    fireEvent.keyDown(globalThis as unknown as Element, { key: 'Escape' })
    fireEvent.pointerUp(globalThis as unknown as Element, { clientX: 40, clientY: 40 })
    expect(screen.queryByText('Drop it on a column')).not.toBeInTheDocument()
    carry('Done')
    fireEvent.pointerUp(globalThis as unknown as Element, { clientX: 40, clientY: 40 })
    expect(await screen.findByText('Not moved')).toBeInTheDocument()
    expect(await askedOf('/stage')).toEqual([])
    carry('Quoted')
    expect(screen.getByText('To Quoted')).toBeInTheDocument()
    fireEvent.pointerUp(globalThis as unknown as Element, { clientX: 40, clientY: 40 })
    expect(await screen.findByText('Moved to Quoted')).toBeInTheDocument()
    expect(await askedOf('/stage')).toEqual([{ stage: 'Quoted' }])
  })

  it('offline: waits on the device, shown as moved, and can be undone', async () => {
    const app = renderApp('/app/leads?view=board')
    await column('New')
    // The keys of the store are fetched with a connection.
    await storeKeys.need(`${user.orgId}:${user.id}`)
    server.goOffline()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    fireEvent(globalThis as unknown as Element, new Event('offline'))
    expect(
      await screen.findByText('You are offline. What you move here is sent when you are back online.'),
    ).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Move Carla Customer' }))
    await app.user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Quoted' }))
    const list = await screen.findByRole('list', { name: 'Moves on this device' })
    expect(within(list).getByText('Carla Customer to Quoted')).toBeInTheDocument()
    expect((await column('Quoted')).getByText('Carla Customer')).toBeInTheDocument()
    await app.user.click(within(list).getByRole('button', { name: /^Undo/ }))
    await waitFor(() => expect(list).not.toBeInTheDocument())
    expect((await column('New')).getByText('Carla Customer')).toBeInTheDocument()
  })
})

describe('cached board', () => {
  it('updates counts and sums to the cent', () => {
    const lead = buildLead({ stage: 'Quoted', quotedTotal: 0.1 })
    const before = columns([lead, buildLead({ stage: 'Quoted', quotedTotal: 0.2 })])
    const after = moveLeadToColumn(before, lead, 'Scheduled')
    expect(after.map(({ stage, count, total }) => [stage, count, total])).toEqual([
      ['New', 0, 0],
      ['Quoted', 1, 0.2],
      ['Scheduled', 1, 0.1],
      ['Done', 0, 0],
      ['Paid', 0, 0],
    ])
    expect(after[2]?.leads[0]).toMatchObject({ id: lead.id, stage: 'Scheduled' })
  })

  it('returns the required follow-up question', () => {
    const [fresh, , , done, paid] = columns([])
    if (!fresh || !done || !paid) throw new Error('five columns')
    expect(getMoveOutcome(fresh, 'Quoted').kind).toBe('move')
    expect(getMoveOutcome(fresh, 'Scheduled').kind).toBe('schedule')
    expect(getMoveOutcome(done, 'Scheduled').kind).toBe('reason')
    expect(getMoveOutcome(done, 'Paid').kind).toBe('payment')
    expect(getMoveOutcome(paid, 'Done')).toEqual({ kind: 'refused', why: 'It is paid.' })
  })
})
