import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildCrew, buildFile, buildJob, buildJobDetail } from '@/testing/job-builders'
import { loadCrewScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const sam = buildUser({ name: 'Sam Field', role: 'crew' })
const OWNER = `${sam.orgId}:${sam.id}`
const HOUR = 60 * 60_000
/** An instant of today where the business is, whatever hour this runs at. */
const soon = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()
let server: FakeServer

/** A job of the server's, as its list and as its page give it. */
function putJob(parts: Partial<Schema['JobDetail']> = {}) {
  const job = buildJobDetail({
    crewAssigned: 'North crew',
    estimateTotal: null,
    depositAmount: null,
    balanceDue: null,
    value: null,
    customerEmail: null,
    ...parts,
  })
  const line = buildJob({
    id: job.id,
    number: job.number,
    customer: job.customerName,
    date: job.scheduledAt ?? null,
    status: job.status,
    onMyWayAt: job.onMyWayAt ?? null,
    value: null,
    location: job.address ?? 'No address',
  })
  server.on('GET', `/api/jobs/${job.id}`, { body: job })
  return { job, line }
}

const sent = (path: string) =>
  server.requests.filter(({ method, url }) => method !== 'GET' && new URL(url).pathname === path)

beforeAll(loadCrewScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: sam })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', '/api/crews', { body: [buildCrew({ name: 'North crew' })] })
})

afterEach(async () => {
  vi.restoreAllMocks()
  outbox.reset()
  await outboxStore.forget(OWNER)
})

describe('crew member', () => {
  it('starts at today, has no office links, and office addresses say so', async () => {
    renderApp('/app')
    expect(await screen.findByRole('heading', { level: 1, name: 'Today' })).toBeInTheDocument()
    expect(await screen.findByText('No jobs today.')).toBeInTheDocument()
    const [sidebar] = screen.getAllByRole('navigation', { name: 'Main' })
    const links = within(sidebar ?? document.body)
      .getAllByRole('link')
      .map((link) => link.textContent)
    expect(links[0]).toBe('Today')
    expect(links).not.toContain('Leads')
    expect(links).not.toContain('Inbox')
  })

  it('at a lead’s address: sees no lead, and nothing is requested', async () => {
    renderApp('/app/leads/3f2a')
    expect(await screen.findByRole('heading', { level: 1, name: 'This is for the office' })).toBeInTheDocument()
    expect(server.requests.some(({ url }) => url.includes('/api/leads'))).toBe(false)
  })

  it('at the office’s job address: sees the crew’s screen of the job', async () => {
    const { job } = putJob({ scheduledAt: soon(1) })
    renderApp(`/app/jobs/${job.id}`)
    expect(await screen.findByRole('heading', { level: 1, name: job.customerName })).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'On my way' })).toBeInTheDocument()
    expect(screen.queryByText(/\$/)).not.toBeInTheDocument()
  })

  it('sees approved extra work without prices', async () => {
    const { job } = putJob({
      scheduledAt: soon(1),
      agreed: null,
      extraWork: [
        {
          number: 'CO-1001',
          title: null,
          lines: [
            { name: 'Second outlet', description: null, quantity: '2', isCredit: false },
            { name: 'Painting', description: null, quantity: null, isCredit: true },
          ],
        },
      ],
    })
    renderApp(`/app/today/${job.id}`)
    const heading = await screen.findByRole('heading', { name: 'Extra work, agreed' })
    expect(heading.closest('section')).toHaveTextContent('Extra work, agreedCO-1001Second outlet, 2Left out: Painting')
  })
})

describe('today screen', () => {
  it('shows the next job large, with all contact links', async () => {
    // Noon where the business is, so that an hour more or less is the same day.
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-21T18:00:00Z'))
    const first = putJob({
      customerName: 'Nora Field',
      scheduledAt: soon(1),
      endsAt: soon(3),
      specialInstructions: 'Beware of the dog.',
    })
    const second = putJob({ customerName: 'Otto Brand', scheduledAt: soon(4) })
    const tomorrow = putJob({ customerName: 'Pia Nord', scheduledAt: soon(24) })
    server.on('GET', '/api/jobs', { body: [tomorrow.line, second.line, first.line] })
    renderApp('/app/today')
    const next = within(await screen.findByRole('region', { name: 'Next job' }))
    expect(await next.findByRole('link', { name: 'Nora Field' })).toHaveAttribute('href', `/app/today/${first.job.id}`)
    expect(next.getByText('Beware of the dog.')).toBeInTheDocument()
    expect(next.getByRole('link', { name: 'Call' })).toHaveAttribute('href', 'tel:+13125550199')
    expect(next.getByRole('link', { name: 'Text' })).toHaveAttribute('href', 'sms:+13125550199')
    expect(next.getByRole('link', { name: 'Map' })).toHaveAttribute(
      'href',
      'https://maps.google.com/?q=12%20Oak%20St%2C%2060601',
    )
    expect(within(screen.getByRole('region', { name: 'Rest of the day' })).getByText('Otto Brand')).toBeInTheDocument()
    expect(within(screen.getByRole('region', { name: 'Tomorrow' })).getByText('Pia Nord')).toBeInTheDocument()
    // Whole, for hours without a network.
    await waitFor(() => expect(server.requests.some(({ url }) => url.endsWith(tomorrow.job.id))).toBe(true))
  })

  it('without a job today: says when the next one is', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-21T18:00:00Z'))
    server.on('GET', '/api/jobs', { body: [putJob({ scheduledAt: '2026-11-24T15:00:00Z' }).line] })
    renderApp('/app/today')
    expect(await screen.findByText('The next one is on Tue, Nov 24.')).toBeInTheDocument()
    expect(screen.queryByText(/^You belong to no crew yet/)).not.toBeInTheDocument()
  })

  it('without a crew: explains the empty screen', async () => {
    server.on('GET', '/api/crews', { body: [] })
    renderApp('/app/today')
    expect(await screen.findByText(/^You belong to no crew yet/)).toBeInTheDocument()
  })
})

describe('on my way', () => {
  it('says that a typed number gets no text', async () => {
    const why = 'their number was only typed into the booking form, and they confirmed by email'
    const { job } = putJob({ scheduledAt: soon(1), customerNoVisitText: why })
    renderApp(`/app/today/${job.id}`)
    expect(await screen.findByText(`The customer gets it by email, not by text: ${why}.`)).toBeInTheDocument()
  })

  it('says that no message can reach them', async () => {
    const why = 'they said STOP and there is no email address. Call them.'
    const { job } = putJob({
      scheduledAt: soon(1),
      customerNoVisitText: 'they said STOP',
      customerVisitUnreachable: why,
    })
    renderApp(`/app/today/${job.id}`)
    expect(await screen.findByText(`The customer gets no message: ${why}`)).toBeInTheDocument()
  })

  it('sends the chosen arrival time, offers the start, and says whether the customer was notified', async () => {
    const { job } = putJob({ scheduledAt: soon(1) })
    const onWay = { ...job, onMyWayAt: soon(0), etaAt: soon(0.5) }
    server.on('POST', `/api/jobs/${job.id}/on-my-way`, {
      body: { ...onWay, told: { sent: false, channel: null, reason: 'Texts may not go at this hour. Call them.' } },
    })
    const app = renderApp(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('radio', { name: '30 min' }))
    server.on('GET', `/api/jobs/${job.id}`, { body: onWay })
    await app.user.click(screen.getByRole('button', { name: 'On my way' }))
    expect(await screen.findByText(/^On the way, there at/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'On my way' })).not.toBeInTheDocument()
    expect(await screen.findByText('Texts may not go at this hour. Call them.')).toBeInTheDocument()
    expect(await sent(`/api/jobs/${job.id}/on-my-way`)[0]?.json()).toMatchObject({ etaMinutes: 30 })
    await waitFor(() => expect(outbox.current()).toEqual([]))
  })
})

describe('running late', () => {
  it('is sent in minutes, also before driving', async () => {
    const { job } = putJob({ scheduledAt: soon(1) })
    server.on('POST', `/api/jobs/${job.id}/late`, {
      body: { ...job, etaAt: soon(1.5), told: { sent: true, channel: 'sms', reason: null } },
    })
    const app = renderApp(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Running late' }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Running late' }))
    await app.user.click(sheet.getByRole('radio', { name: '30 min' }))
    await app.user.click(sheet.getByRole('button', { name: 'Say so' }))
    expect(await screen.findByText('On its way to the customer')).toBeInTheDocument()
    expect(await sent(`/api/jobs/${job.id}/late`)[0]?.json()).toMatchObject({ minutes: 30 })
    expect(screen.queryByRole('dialog', { name: 'Running late' })).not.toBeInTheDocument()
  })
})

describe('customer notice', () => {
  it('is not called sent while the worker is stopped', async () => {
    const { job } = putJob({ scheduledAt: soon(1) })
    const outlook = { state: 'waits', text: 'waiting: sending is stopped right now', until: null }
    server.on('POST', `/api/jobs/${job.id}/late`, {
      body: { ...job, etaAt: soon(1.5), told: { sent: true, channel: 'sms', reason: null }, outlook },
    })
    const app = renderApp(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Running late' }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Running late' }))
    await app.user.click(sheet.getByRole('radio', { name: '30 min' }))
    await app.user.click(sheet.getByRole('button', { name: 'Say so' }))
    expect(await screen.findByText('The customer is not told yet')).toBeInTheDocument()
    expect(screen.getByText('Waiting: sending is stopped right now. Call them if it matters.')).toBeInTheDocument()
  })
})

describe('offline', () => {
  it('note, tick and completion are marked pending, and sent once', async () => {
    const { job } = putJob({
      status: 'In Progress',
      scheduledAt: soon(-1),
      startedAt: soon(-1),
      checklist: [{ id: 'c1', label: 'Water off', doneAt: null, doneBy: null }],
    })
    const app = renderApp(`/app/today/${job.id}`)
    const notes = within((await screen.findByRole('heading', { name: 'Notes' })).closest('section') ?? document.body)
    server.goOffline()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    await app.user.type(notes.getByLabelText('New note'), 'Valve behind the boiler')
    await app.user.click(notes.getByRole('button', { name: 'Add note' }))
    expect(await notes.findByText('Waiting to be sent')).toBeInTheDocument()
    await waitFor(() => expect(notes.getByLabelText('New note')).toHaveValue(''))
    expect(notes.getByText('Valve behind the boiler')).toBeInTheDocument()

    await app.user.click(screen.getByRole('button', { name: 'Done' }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Done here?' }))
    await app.user.click(sheet.getByRole('checkbox', { name: /Water off/ }))
    await app.user.click(sheet.getByRole('button', { name: 'Done' }))
    // The last of the three changes is rendered by then; before, the buttons may still be rerendered.
    expect(await screen.findByText('3 changes wait to be sent')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Reopen' })).toBeInTheDocument()

    const done = {
      ...job,
      status: 'Completed' as const,
      completedAt: soon(0),
      checklist: [{ id: 'c1', label: 'Water off', doneAt: soon(0), doneBy: 'Sam Field' }],
    }
    const note = { id: 'n1', body: 'Valve behind the boiler', author: 'Sam Field', at: soon(0) }
    server.on('POST', `/api/jobs/${job.id}/notes`, { status: 201, body: note })
    server.on('PATCH', `/api/jobs/${job.id}/checklist/c1`, {
      body: { ...job, checklist: done.checklist, notes: [note] },
    })
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...done, notes: [note] } })
    server.on('GET', `/api/jobs/${job.id}`, { body: { ...done, notes: [note] } })
    server.requests.length = 0
    server.goOnline()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
    globalThis.dispatchEvent(new Event('online'))
    await waitFor(() => expect(outbox.current()).toEqual([]))
    expect(
      server.requests.filter(({ method }) => method !== 'GET').map(({ url }) => new URL(url).pathname.split('/').at(4)),
    ).toEqual(['notes', 'checklist', 'status'])
    expect(await notes.findByText(/^Sam Field, /)).toBeInTheDocument()
    expect(screen.getAllByText('Valve behind the boiler')).toHaveLength(1)
  })

  it('logout asks for confirmation', async () => {
    const { job } = putJob({ scheduledAt: soon(1) })
    const app = renderApp(`/app/today/${job.id}`)
    await screen.findByRole('button', { name: 'On my way' })
    server.goOffline()
    await outbox.add({ jobId: job.id, jobName: '#1007', command: { kind: 'note', body: 'x' } })
    await app.user.click(screen.getAllByRole('button', { name: 'Logout' })[0] ?? document.body)
    expect(await screen.findByRole('dialog', { name: 'Not everything has been sent' })).toBeInTheDocument()
    expect(server.requests.some(({ url }) => url.endsWith('/logout'))).toBe(false)
  })
})

describe('accidental completion', () => {
  it('can be undone although the next job is shown', async () => {
    const { job } = putJob({ status: 'In Progress', startedAt: soon(-1), scheduledAt: soon(-1) })
    const done = { ...job, status: 'Completed' as const, completedAt: soon(0), undo: { eventId: 'e1', until: soon(1) } }
    server.on('POST', `/api/jobs/${job.id}/status`, { body: done })
    server.on('POST', '/api/work/e1/undo', { body: { jobId: job.id, leadId: job.leadId } })
    const app = renderApp(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Done' }))
    await app.user.click(
      within(await screen.findByRole('dialog', { name: 'Done here?' })).getByRole('button', { name: 'Done' }),
    )
    const toast = within((await screen.findByText('Job done')).closest('li') ?? document.body)
    await app.user.click(toast.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Undone')).toBeInTheDocument()
    expect(sent('/api/work/e1/undo')).toHaveLength(1)
  })
})

describe('refused change', () => {
  it('shows its reason, and can be retried or discarded', async () => {
    const { job } = putJob({ status: 'Scheduled', onMyWayAt: soon(0), scheduledAt: soon(1) })
    server.on(
      'POST',
      `/api/jobs/${job.id}/status`,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Olive cancelled this job at 10:12 AM.' })),
    )
    const app = renderApp(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Start' }))
    expect(await screen.findByText('1 change needs your attention')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Start' })).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Show' }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Not sent yet' }))
    expect(sheet.getByText(/Olive cancelled this job at 10:12 AM\./)).toBeInTheDocument()
    await app.user.click(sheet.getByRole('button', { name: 'Discard' }))
    expect(await sheet.findByText('Everything has been sent.')).toBeInTheDocument()
  })
})

describe('photos', () => {
  it('show an annotated copy beside its original, with a badge', async () => {
    const [first, original] = [buildFile({ name: 'wall.jpg' }), buildFile({ name: 'leak.jpg' })]
    const copy = buildFile({ name: 'leak (marked).jpg', moment: 'during', madeFrom: original.id })
    const { job } = putJob({ status: 'In Progress', scheduledAt: soon(-1), files: [copy, original, first] })
    renderApp(`/app/today/${job.id}`)
    const before = within(await screen.findByRole('region', { name: 'Before the work' }))
    const tiles = before.getAllByRole('button', { name: /^Open photo/ })
    expect(tiles.map((tile) => tile.getAttribute('aria-label'))).toEqual([
      'Open photo 1, leak.jpg',
      'Open photo 2, marked, leak (marked).jpg',
      'Open photo 3, wall.jpg',
    ])
    expect(before.getByText('Marked')).toBeInTheDocument()
  })
})

describe('completion', () => {
  it('asks for a required photo', async () => {
    const { job } = putJob({
      status: 'In Progress',
      scheduledAt: soon(-1),
      requiredPhotos: 'before_and_after',
      files: [buildFile({ moment: 'before' })],
    })
    const app = renderApp(`/app/today/${job.id}`)
    await app.user.click(await screen.findByRole('button', { name: 'Done' }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Done here?' }))
    expect(sheet.getByText('Add a photo taken after the work first.')).toBeInTheDocument()
    expect(sheet.getByRole('button', { name: 'Camera, after the work' })).toBeInTheDocument()
    expect(sheet.getByRole('button', { name: 'Done' })).toBeDisabled()
  })
})
