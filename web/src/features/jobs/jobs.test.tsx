import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildLead, buildProblem, buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildCrew, buildJob, buildJobDetail } from '@/testing/job-builders'
import { loadJobScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const crew = buildCrew({ name: 'North crew' })
const carla = buildJob({
  number: 1007,
  date: '2027-03-02T14:00:00.000Z',
  endsAt: '2027-03-02T16:00:00.000Z',
  crew: crew.name,
  crewId: crew.id,
  priority: 'Rush',
})
const ben = buildJob({
  number: 1008,
  customer: 'Ben Builder',
  service: 'roofing',
  location: 'No address',
  value: null,
  status: 'In Progress',
})

function answerJobs(jobs: readonly unknown[], headers: Record<string, string> = {}) {
  server.on('GET', '/api/jobs', { body: jobs, headers: { 'X-Total-Count': String(jobs.length), ...headers } })
}

const cardOf = async (name: string) => {
  const card = (await screen.findByRole('link', { name })).closest('li')
  if (!card) throw new Error(`${name} stands on no card`)
  return within(card)
}

/** The body of the last such request. */
const sentTo = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeAll(loadJobScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/crews', { body: [crew, buildCrew({ name: 'Old crew', isActive: false })] })
  server.on('GET', '/api/jobs/summary', { body: { jobsDone: 12, workingNow: 1, comingUp: 7, revenue: 89_250 } })
  answerJobs([carla, ben])
})

describe('Job Tracker', () => {
  it('shows four figures, money abbreviated', async () => {
    renderApp('/app/jobs')
    expect(await screen.findByRole('heading', { level: 1, name: 'Job Tracker' })).toBeInTheDocument()
    await screen.findByText('Jobs Done')
    for (const [label, value] of [
      ['Jobs Done', '12'],
      ['Working Now', '1'],
      ['Coming Up', '7'],
      ['Revenue', '$89K'],
    ] as const)
      expect(screen.getByText(label).parentElement).toHaveTextContent(value)
    expect(screen.getByText('$89,250')).toHaveClass('sr-only')
  })

  it('hides money and office actions from the crew', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
    server.on('GET', '/api/jobs/summary', { body: { jobsDone: 1, workingNow: 0, comingUp: 2, revenue: null } })
    answerJobs([{ ...carla, value: null }])
    renderApp('/app/jobs')
    expect(await screen.findByText('Coming Up')).toBeInTheDocument()
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
    expect(screen.queryByText('Revenue')).not.toBeInTheDocument()
    for (const name of ['Add job', 'Export CSV', 'Export JSON'])
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument()
  })

  it('shows each job as a card with a link', async () => {
    renderApp('/app/jobs')
    const first = await cardOf('Carla Customer')
    for (const text of [
      'Plumbing',
      '#1007',
      '$1,250',
      '12 Oak St',
      'North crew',
      'Tue, Mar 2, 2027 8:00 AM – 10:00 AM',
      'Scheduled',
      'Rush',
    ])
      expect(first.getByText(new RegExp(text.replace('$', '\\$')))).toBeInTheDocument()
    expect(first.getByRole('link')).toHaveAttribute('href', `/app/jobs/${carla.id}`)
    const second = await cardOf('Ben Builder')
    for (const text of ['Not scheduled', 'Unassigned', 'No address', 'In Progress', 'Standard'])
      expect(second.getByText(text)).toBeInTheDocument()
  })

  it('a job without a time is not badged Scheduled', async () => {
    answerJobs([{ ...carla, date: null, endsAt: null }])
    renderApp('/app/jobs')
    const card = await cardOf('Carla Customer')
    expect(card.queryByText('Scheduled')).not.toBeInTheDocument()
    expect(card.getAllByText('Not scheduled').length).toBeGreaterThan(0)
  })

  it('marks overlapping jobs', async () => {
    answerJobs([{ ...carla, conflicts: 1 }])
    renderApp('/app/jobs')
    expect((await cardOf('Carla Customer')).getByText('Overlaps')).toBeInTheDocument()
  })

  it('empty: explains the first step', async () => {
    answerJobs([])
    const app = renderApp('/app/jobs')
    expect(await screen.findByRole('heading', { name: 'No jobs yet' })).toBeInTheDocument()
    expect(screen.getByText('Schedule a lead, or add a job.')).toBeInTheDocument()
    server.on('GET', `/api/leads/${user.orgId}`, { body: [] })
    await app.user.click(screen.getAllByRole('button', { name: 'Add job' })[1] ?? document.body)
    expect(await screen.findByRole('dialog', { name: 'Add a job' })).toBeInTheDocument()
  })

  it('load error: shown with a retry', async () => {
    server.on(
      'GET',
      '/api/jobs',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    server.on(
      'GET',
      '/api/jobs/summary',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    const app = renderApp('/app/jobs')
    expect(await screen.findByText('The database is away.')).toBeInTheDocument()
    answerJobs([carla])
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  })

  it('keeps old data when the server fails, with its age', async () => {
    renderApp('/app/jobs')
    await screen.findByText('Carla Customer')
    server.goOffline()
    act(() => FakeEventSource.opened.at(-1)?.say('resync', {}))
    expect((await screen.findAllByText(/^Could not refresh, as of /))[0]).toBeInTheDocument()
    expect(screen.getByText('Carla Customer')).toBeInTheDocument()
  })

  it('loads more on demand', async () => {
    server.on('GET', '/api/jobs', (_request, url) =>
      url.searchParams.get('cursor') === 'c 2'
        ? { body: [ben], headers: { 'X-Total-Count': '2' } }
        : { body: [carla], headers: { 'X-Total-Count': '2', Link: '</api/jobs?limit=60&cursor=c%202>; rel="next"' } },
    )
    const app = renderApp('/app/jobs')
    await app.user.click(await screen.findByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Ben Builder')).toBeInTheDocument()
    expect(screen.getByText('Carla Customer')).toBeInTheDocument()
  })
})

describe('job filters', () => {
  it('send status, crew and text together', async () => {
    const asked: string[] = []
    server.on('GET', '/api/jobs', (_request, url) => {
      url.searchParams.delete('limit')
      url.searchParams.delete('orgId')
      asked.push(url.searchParams.toString())
      return {
        body: asked.at(-1) === '' ? [carla, ben] : [ben],
        headers: { 'X-Total-Count': asked.at(-1) === '' ? '2' : '1' },
      }
    })
    const app = renderApp('/app/jobs')
    await screen.findByText('Carla Customer')
    await app.user.selectOptions(screen.getByLabelText('Status'), 'In Progress')
    await app.user.selectOptions(screen.getByLabelText('Crew'), 'North crew')
    await app.user.type(screen.getByRole('searchbox'), 'roof')
    expect(await screen.findByText('1 job found')).toBeInTheDocument()
    await waitFor(() => expect(asked.at(-1)).toBe(`status=in_progress&crewId=${crew.id}&q=roof`))
    expect(screen.queryByText('Carla Customer')).not.toBeInTheDocument()
  })

  it('are restored from the address, and reset by one tap', async () => {
    server.on('GET', '/api/jobs', (_request, url) => ({
      body: url.searchParams.get('status') === 'completed' ? [] : [carla, ben],
    }))
    const app = renderApp('/app/jobs?status=completed')
    expect(await screen.findByText('No jobs found.')).toBeInTheDocument()
    expect(screen.getByLabelText('Status')).toHaveValue('completed')
    await app.user.click(screen.getByRole('button', { name: 'Show all jobs' }))
    expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  })

  it('work offline on loaded rows', async () => {
    const app = renderApp('/app/jobs')
    await screen.findByText('Carla Customer')
    server.goOffline()
    await app.user.selectOptions(screen.getByLabelText('Status'), 'In Progress')
    expect(await screen.findByText('1 job found among those saved on this device')).toBeInTheDocument()
    expect(screen.getByText('Ben Builder')).toBeInTheDocument()
  })
})

describe('job export', () => {
  it.each([
    ['CSV', 'csv'],
    ['JSON', 'json'],
  ] as const)('saves the filtered jobs as %s with a toast', async (word, format) => {
    const asked: string[] = []
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:jobs', revokeObjectURL: () => undefined }))
    server.on('GET', '/api/jobs/export', (_request, url) => {
      asked.push(url.search)
      return { body: [], headers: { 'Content-Disposition': `attachment; filename="jobs-2026-11-21.${format}"` } }
    })
    const app = renderApp('/app/jobs?status=in_progress')
    await app.user.click(await screen.findByRole('button', { name: `Export ${word}` }))
    expect(await screen.findByText('Export successful')).toBeInTheDocument()
    expect(screen.getByText(`Jobs data has been exported to ${word}`)).toBeInTheDocument()
    expect(asked).toEqual([`?format=${format}&status=in_progress`])
  })
})

describe('adding a job', () => {
  const lead = buildLead({ name: 'Ana Diaz', stage: 'Quoted' })

  beforeEach(() => server.on('GET', `/api/leads/${user.orgId}`, { body: [lead] }))

  it('for a lead: needs the lead only, and opens the job', async () => {
    const job = buildJobDetail({ number: 1009, customerName: 'Ana Diaz', leadId: lead.id })
    server.on('POST', '/api/jobs', { status: 201, body: job })
    server.on('GET', `/api/jobs/${job.id}`, { body: job })
    const app = renderApp('/app/jobs')
    await app.user.click(await screen.findByRole('button', { name: 'Add job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a job' }))
    await app.user.click(dialog.getByRole('button', { name: 'Add job' }))
    expect(await dialog.findByText('Choose the lead this job is for')).toBeInTheDocument()
    await app.user.click(await dialog.findByRole('button', { name: /Ana Diaz/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Add job' }))
    expect(await screen.findByText('Job added')).toBeInTheDocument()
    expect(await sentTo('POST', '/api/jobs')).toEqual({ leadId: lead.id, priority: 'standard' })
    expect(await screen.findByText('#1009')).toBeInTheDocument()
  })

  it('for a new customer: requires a name, and keeps the input on failure', async () => {
    server.on(
      'POST',
      '/api/jobs',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    const app = renderApp('/app/jobs')
    await app.user.click(await screen.findByRole('button', { name: 'Add job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a job' }))
    await app.user.click(dialog.getByRole('tab', { name: 'New customer' }))
    await app.user.click(dialog.getByRole('button', { name: 'Add job' }))
    expect(await dialog.findByText('Name is required')).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Name/), 'Hugo Marsh')
    await app.user.type(dialog.getByLabelText('Service'), 'Roofing')
    await app.user.type(dialog.getByLabelText(/^Day/), '2026-11-24')
    await app.user.click(dialog.getByRole('button', { name: 'Add job' }))
    expect(await dialog.findByText('Choose a time too, or leave the day empty')).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Time/), '08:00')
    await app.user.selectOptions(dialog.getByLabelText('Crew'), 'North crew')
    await app.user.click(dialog.getByRole('button', { name: 'Add job' }))
    expect(await screen.findByText('Job not added')).toBeInTheDocument()
    expect(await sentTo('POST', '/api/jobs')).toEqual({
      customer: { name: 'Hugo Marsh' },
      service: 'roofing',
      crewId: crew.id,
      startsAt: '2026-11-24T14:00:00.000Z',
      priority: 'standard',
    })
    expect(dialog.getByLabelText(/^Name/)).toHaveValue('Hugo Marsh')
  })
})
