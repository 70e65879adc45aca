import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildCrew, buildJob, buildJobDetail } from '@/testing/job-builders'
import { loadScheduleScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import type { Schedule } from './types'

let server: FakeServer
const user = buildUser()
const north = buildCrew({ name: 'North crew' })
const south = buildCrew({ name: 'South crew', tone: 1 })
const carla = buildJob({
  number: 1007,
  date: '2027-03-02T14:00:00.000Z',
  endsAt: '2027-03-02T16:00:00.000Z',
  crew: north.name,
  crewId: north.id,
})
const ben = buildJob({
  number: 1008,
  customer: 'Ben Builder',
  date: '2027-03-02T15:00:00.000Z',
  endsAt: '2027-03-02T17:00:00.000Z',
  crew: north.name,
  crewId: north.id,
})
const wanda = buildJob({ number: 1009, customer: 'Wanda Waits', durationMinutes: 45 })
const HERE = '/app/schedule?date=2027-03-02'

function schedule(parts: Partial<Schedule> = {}): Schedule {
  const open = [{ from: '2027-03-02T14:00:00Z', to: '2027-03-02T23:00:00Z' }]
  return {
    from: '2027-03-02',
    days: 1,
    crews: [north, south],
    jobs: [carla],
    tray: [wanda],
    trayTotal: 1,
    open: { org: open, [north.id]: open, [south.id]: open },
    held: [],
    conflicts: [],
    ...parts,
  }
}

const row = async (name: string) => within(await screen.findByRole('region', { name }))
const sent = async () => {
  const request = server.requests.findLast((one) => one.method === 'POST')
  return request ? ((await request.json()) as unknown) : undefined
}

beforeAll(loadScheduleScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/crews', { body: [north, south] })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', '/api/schedule', { body: schedule() })
})

describe('schedule views', () => {
  it('show a day by crew, with unscheduled jobs and overlaps', async () => {
    server.on('GET', '/api/schedule', { body: schedule({ jobs: [carla, ben] }) })
    renderApp(HERE)
    expect(await screen.findByRole('heading', { name: 'Tue, Mar 2, 2027' })).toBeInTheDocument()
    const visits = (await row('North crew')).getAllByRole('button')
    expect(visits.map((one) => one.textContent)).toEqual([
      expect.stringContaining('Carla Customer8:00 AM – 10:00 AM'),
      expect.stringContaining('Overlaps #1007, 8:00 AM – 10:00 AM'),
    ])
    expect(screen.getByText('1 overlap')).toBeInTheDocument()
    expect((await row('South crew')).queryByRole('button')).not.toBeInTheDocument()
    expect((await row('Not scheduled 1')).getByRole('button', { name: /Wanda Waits/ })).toBeInTheDocument()
  })

  it('page through dates, and keep the position in the address', async () => {
    const asked: string[] = []
    server.on('GET', '/api/schedule', (_request, url) => {
      asked.push(`${url.searchParams.get('from')} ${url.searchParams.get('days')}`)
      return { body: schedule() }
    })
    const app = renderApp(HERE)
    await app.user.click(await screen.findByRole('button', { name: 'Later' }))
    await app.user.click(screen.getByRole('tab', { name: 'Week' }))
    await app.user.click(screen.getByRole('tab', { name: 'Month' }))
    await waitFor(() => expect(asked).toEqual(['2027-03-02 1', '2027-03-03 1', '2027-02-28 7', '2027-02-28 42']))
    expect(screen.getByRole('heading', { name: 'March 2027' })).toBeInTheDocument()
    await app.user.click(await screen.findByRole('button', { name: 'Show Tue, Mar 2, 1 job' }))
    expect(await screen.findByRole('heading', { name: 'Tue, Mar 2, 2027' })).toBeInTheDocument()
  })

  it('show the crew its work read-only', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
    const app = renderApp(HERE)
    await app.user.click((await row('North crew')).getByRole('button'))
    const open = within(await screen.findByRole('dialog', { name: '#1007, Carla Customer' }))
    expect(open.getByRole('link', { name: 'Open the job' })).toHaveAttribute('href', `/app/jobs/${carla.id}`)
    expect(open.queryByRole('form', { name: 'Move to' })).not.toBeInTheDocument()
    expect(screen.queryByRole('heading', { name: /Not scheduled/ })).not.toBeInTheDocument()
  })

  it('show held times with a link to the lead until they expire', async () => {
    const held = {
      id: '6f2c1d0e-0000-4000-8000-000000000001',
      leadId: '6f2c1d0e-0000-4000-8000-000000000002',
      crewId: north.id,
      name: 'Hanna Holds',
      startsAt: '2027-03-02T19:00:00.000Z',
      endsAt: '2027-03-02T21:00:00.000Z',
      expiresAt: new Date(Date.now() + 15 * 60_000).toISOString(),
    }
    const over = {
      ...held,
      id: '6f2c1d0e-0000-4000-8000-000000000003',
      name: 'Otto Over',
      expiresAt: '2020-01-01T00:00:00Z',
    }
    const planned = { ...ben, date: '2027-03-02T20:00:00.000Z', endsAt: '2027-03-02T22:00:00.000Z' }
    server.on('GET', '/api/schedule', { body: schedule({ jobs: [carla, planned], held: [held, over] }) })
    renderApp(HERE)
    const link = (await row('North crew')).getByRole('link', {
      name: /^Held until .* – Hanna Holds, waiting for confirmation/,
    })
    expect(link).toHaveAttribute('href', `/app/leads/${held.leadId}`)
    expect(within(link).getByText('Hanna Holds')).toBeInTheDocument()
    expect(screen.getByText('A job is planned over a held time')).toBeInTheDocument()
    expect(screen.queryByText(/Otto Over/)).not.toBeInTheDocument()
    expect((await row('South crew')).queryByRole('link')).not.toBeInTheDocument()
  })

  it('show load errors', async () => {
    server.on(
      'GET',
      '/api/schedule',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    renderApp(HERE)
    expect(await screen.findByText('The database is away.')).toBeInTheDocument()
  })
})

describe('moving a visit', () => {
  const done = {
    job: buildJobDetail({
      id: carla.id,
      version: 2,
      crewAssigned: south.name,
      undo: { eventId: 'e1', until: '2027-03-02T00:01:00Z' },
    }),
    conflicts: [{ jobId: ben.id, number: 1008, customer: 'Ben', startsAt: ben.date, endsAt: ben.endsAt }],
    undo: null,
  }

  it('by keyboard: opens, moves optimistically, with a toast and Undo', async () => {
    server.on('POST', `/api/jobs/${carla.id}/schedule`, { body: done })
    server.on('POST', '/api/work/e1/undo', { body: { jobId: carla.id, leadId: carla.leadId } })
    const app = renderApp(HERE)
    const card = (await row('North crew')).getByRole('button', { name: /Carla Customer/ })
    card.focus()
    await app.user.keyboard('{ArrowDown}{Enter}')
    const open = within(await screen.findByRole('dialog', { name: '#1007, Carla Customer' }))
    await app.user.clear(open.getByLabelText('Time'))
    await app.user.type(open.getByLabelText('Time'), '13:15')
    await app.user.selectOptions(open.getByLabelText('Duration'), '3 h')
    await app.user.selectOptions(open.getByLabelText('Crew'), 'South crew')
    await app.user.click(open.getByRole('checkbox', { name: /Tell the customer/ }))
    await app.user.click(open.getByRole('button', { name: 'Save the time' }))
    expect(await screen.findByText('Moved')).toBeInTheDocument()
    expect(
      screen.getByText(/^#1007, Carla Customer: Tue, Mar 2, 2027 1:15 PM, South crew\. Overlaps #1008\.$/),
    ).toBeInTheDocument()
    expect(await sent()).toEqual({
      version: 1,
      tell: false,
      startsAt: '2027-03-02T19:15:00.000Z',
      durationMinutes: 180,
      crewId: south.id,
    })
    await app.user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Undone')).toBeInTheDocument()
  })

  it('refused by the server: rolled back', async () => {
    server.on(
      'POST',
      `/api/jobs/${carla.id}/schedule`,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Sam changed this job a moment ago. Look again.' })),
    )
    const app = renderApp(HERE)
    await app.user.click((await row('North crew')).getByRole('button'))
    const open = within(await screen.findByRole('dialog'))
    await app.user.click(open.getByRole('button', { name: 'Unschedule' }))
    expect(await screen.findByText('Sam changed this job a moment ago. Look again.')).toBeInTheDocument()
    expect((await row('North crew')).getByRole('button', { name: /Carla Customer/ })).toBeInTheDocument()
    expect(await sent()).toEqual({ version: 1, startsAt: null })
  })

  it('by dragging: drops an unscheduled job at the pointer', async () => {
    server.on('POST', `/api/jobs/${wanda.id}/schedule`, {
      body: { ...done, job: { ...done.job, id: wanda.id, crewAssigned: north.name, number: 1009 }, conflicts: [] },
    })
    const app = renderApp(HERE)
    const place = (await screen.findByRole('region', { name: 'North crew' })).querySelector<HTMLElement>('[data-drop]')
    if (!place) throw new Error('The row is no place to drop on')
    vi.spyOn(place, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 540, 80))
    Object.assign(document, { elementsFromPoint: () => [place], elementFromPoint: () => place })
    const card = (await row('Not scheduled 1')).getByRole('button', { name: /Wanda Waits/ })
    await app.user.pointer([
      { keys: '[MouseLeft>]', target: card, coords: { clientX: 900, clientY: 40 } },
      { target: place, coords: { clientX: 181, clientY: 40 } },
      { keys: '[/MouseLeft]' },
    ])
    expect(await screen.findByText('Scheduled')).toBeInTheDocument()
    // A third of the nine hours from eight.
    expect(await sent()).toEqual({
      version: 1,
      startsAt: '2027-03-02T17:00:00.000Z',
      durationMinutes: 45,
      crewId: north.id,
    })
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('by dragging: a second move before the first response', async () => {
    let answer: (body: unknown) => void = () => undefined
    const bodies: unknown[] = []
    server.on('POST', `/api/jobs/${carla.id}/schedule`, async (request) => {
      bodies.push(await request.json())
      return bodies.length > 1
        ? { body: { ...done, job: { ...done.job, version: 3 } } }
        : {
            body: await new Promise((resolve) => {
              answer = resolve
            }),
          }
    })
    const app = renderApp(HERE)
    const [north9, tray] = [
      (await screen.findByRole('region', { name: 'North crew' })).querySelector<HTMLElement>('[data-drop]'),
      await screen.findByRole('region', { name: /^Not scheduled/ }),
    ]
    if (!north9) throw new Error('The row is no place to drop on')
    vi.spyOn(north9, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 540, 80))
    const lay = (over: HTMLElement) =>
      Object.assign(document, { elementsFromPoint: () => [over], elementFromPoint: () => over })
    const card = () => within(north9).getByRole('button', { name: /Carla Customer/ })
    lay(north9)
    await app.user.pointer([
      { keys: '[MouseLeft>]', target: card(), coords: { clientX: 4, clientY: 40 } },
      { target: north9, coords: { clientX: 124, clientY: 40 } },
      { keys: '[/MouseLeft]' },
    ])
    await waitFor(() => expect(bodies).toHaveLength(1))

    server.on('GET', '/api/schedule', {
      body: schedule({
        jobs: [{ ...carla, version: 2, date: '2027-03-02T16:00:00.000Z', endsAt: '2027-03-02T18:00:00.000Z' }],
      }),
    })
    const asked = () => server.requests.filter(({ url }) => url.includes('/api/schedule?')).length
    const before = asked()
    await app.user.pointer([
      { keys: '[MouseLeft>]', target: card(), coords: { clientX: 124, clientY: 40 } },
      { target: north9, coords: { clientX: 200, clientY: 40 } },
    ])
    answer(done)
    await waitFor(() => expect(asked()).toBeGreaterThan(before))
    expect(await screen.findByText('Moved')).toBeInTheDocument()
    lay(tray)
    await app.user.pointer([{ target: tray, coords: { clientX: 900, clientY: 40 } }, { keys: '[/MouseLeft]' }])
    expect(await screen.findByText('Taken off the schedule')).toBeInTheDocument()
    expect(bodies).toMatchObject([{ version: 1 }, { version: 2, startsAt: null }])
  })
})
