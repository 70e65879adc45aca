// One job's page: every block from what was fetched, the next step, what can be taken back, its files and notes.
import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, problemAnswer, startFakeServer } from '@/testing/fake-server'
import { buildCrew, buildFile, buildJob, buildJobDetail, buildSteps } from '@/testing/job-builders'
import { buildWorkEvent } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'
import type { JobDetail } from './types'

let server: FakeServer
const user = buildUser()
const crew = buildCrew({ name: 'North crew' })
const AT = '2027-03-02T14:00:00.000Z'
const UNTIL = '2099-01-01T00:00:00.000Z'

/** Opens the page of this job. */
async function open(parts: Partial<JobDetail> = {}) {
  const job = buildJobDetail(parts)
  server.on('GET', `/api/jobs/${job.id}`, { body: job })
  const app = renderApp(`/app/jobs/${job.id}`)
  await screen.findByText(`#${job.number}`)
  return { job, user: app.user }
}

const cardOf = (title: string) => {
  const card = screen.getByRole('heading', { name: title }).closest('section')
  if (!card) throw new Error(`${title} heads no card`)
  return within(card)
}

/** The answers as the page gives them, by their names. */
const factIn = (title: string, label: string) => cardOf(title).getByText(label).nextElementSibling

const sentTo = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeAll(() => Promise.all([import('@/app/shells/staff-shell'), import('./jobs.route'), import('./job-detail.route'), import('./actions/edit-dialog')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/crews', { body: [crew, buildCrew({ name: 'Old crew', isActive: false })] })
  server.on('GET', '/api/jobs', { body: [] })
})

describe('the page of a job', () => {
  it('says what, for whom, where, when, by whom and for how much', async () => {
    await open({
      scheduledAt: AT, endsAt: '2027-03-02T16:30:00.000Z', arrivalMinutes: 30, estimatedDuration: 150, crewAssigned: 'North crew', crewId: crew.id, priority: 'High',
      materialsNeeded: ['Tap', 'Tape'], specialInstructions: 'Gate code 4711', weatherConcerns: 'Rain', notes: [{ id: buildId(), body: 'Valve is in the cellar.', author: 'Dave', at: AT }],
    })
    expect(screen.getByRole('heading', { level: 1, name: 'Plumbing' })).toBeInTheDocument()
    expect(screen.getByText('Scheduled', { selector: 'header span' })).toBeInTheDocument()
    expect(screen.getByText('High')).toBeInTheDocument()
    expect(screen.getByText('The kitchen tap drips.')).toBeInTheDocument()
    expect(factIn('Job Details', 'Customer')).toHaveTextContent('Carla Customer')
    expect(screen.getByRole('link', { name: '(312) 555-0199' })).toHaveAttribute('href', 'tel:+13125550199')
    expect(screen.getByRole('link', { name: /^12 Oak St, 60601/ })).toHaveAttribute('href', 'https://maps.google.com/?q=12%20Oak%20St%2C%2060601')
    expect(factIn('Job Details', 'Scheduled')).toHaveTextContent('Mar 2, 2027, 8:00 AM – 10:30 AMArrival between 8:00 AM and 8:30 AM (30 min)')
    expect(factIn('Money', 'Total estimate')).toHaveTextContent('$1,250.00')
    expect(factIn('Money', 'Deposit received')).toHaveTextContent('$350.00')
    expect(factIn('Money', 'Balance due')).toHaveTextContent('$900.00')
    expect(factIn('The Work', 'Crew')).toHaveTextContent('North crew')
    expect(factIn('The Work', 'Estimated duration')).toHaveTextContent('2 h 30 min')
    expect(factIn('The Work', 'Materials')).toHaveTextContent('TapTape')
    expect(factIn('The Work', 'Special instructions')).toHaveTextContent('Gate code 4711')
    expect(factIn('The Work', 'Weather')).toHaveTextContent('Rain')
    expect(cardOf('Crew Notes').getByText('Valve is in the cellar.')).toBeInTheDocument()
  })

  it('stands in the order in which it is asked for', async () => {
    await open()
    expect(screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)).toEqual([
      'Job Details', 'Money', 'The Work', 'Crew Notes', 'Automated Content', 'Tracking Timeline', 'Automation Status',
    ])
  })

  it('tells a crew no money, no papers and no request', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
    await open({ estimateTotal: null, depositAmount: null, balanceDue: null, value: null, customerEmail: null, scheduledAt: AT })
    expect(screen.queryByRole('heading', { name: 'Money' })).not.toBeInTheDocument()
    expect(screen.queryByRole('tab', { name: 'Documents' })).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Carla Customer' })).not.toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Start' })).toBeInTheDocument()
  })

  it('that does not exist says so and leads back', async () => {
    server.on('GET', '/api/jobs/nope', problemAnswer(buildProblem(404, 'not_found')))
    renderApp('/app/jobs/nope')
    expect(await screen.findByRole('heading', { name: 'Job Not Found' })).toBeInTheDocument()
    expect(screen.getByText("The job you're looking for doesn't exist.")).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Back to Jobs' })).toHaveAttribute('href', '/app/jobs')
  })

  it('tells the eleven steps with who, when and how, and what happened', async () => {
    const timeline = buildSteps({ 0: 'completed', 1: 'automated', 6: 'current', 7: 'current' }).map((step) => (step.step === 1 ? { ...step, at: AT, by: 'Toolbox', how: 'by text: delivered' } : step))
    const { user: person } = await open({ status: 'In Progress', timeline, events: [buildWorkEvent({ title: 'Job created', kind: 'job_created' }), buildWorkEvent({ title: 'Job cancelled', kind: 'cancelled', undone: true, detail: { reason: 'Too wet' } })] })
    const steps = within(screen.getByRole('list', { name: 'Steps of this job' })).getAllByRole('listitem')
    expect(steps).toHaveLength(11)
    expect(steps[1]).toHaveTextContent('Automated')
    expect(steps[1]).toHaveTextContent('Mar 2, 2027, 8:00 AM · Toolbox · by text: delivered')
    expect(steps.filter((step) => step.getAttribute('aria-current') === 'step')).toEqual([steps[6], steps[7]])
    await person.click(screen.getByText('Everything that happened (2)'))
    const happened = cardOf('Tracking Timeline').getAllByRole('listitem').slice(11)
    expect(happened[0]).toHaveTextContent(/Job cancelled.*Too wet.*undone/)
    expect(happened[1]).toHaveTextContent('Job created')
  })

  it('shows what runs by itself and what was sent', async () => {
    await open({
      automation: [{ name: 'Auto-reply', isOn: true, detail: 'The answer by text: delivered.' }, { name: 'Reminders', isOn: false, detail: 'No reminder waits.' }],
      messages: [{ kind: 'auto_reply', at: AT, channel: 'sms', statusText: 'delivered' }],
    })
    const card = cardOf('Automation Status')
    expect(card.getByText('Auto-reply: on')).toBeInTheDocument()
    expect(card.getByText('Reminders: off')).toBeInTheDocument()
    expect(card.getByText('Automatic reply').parentElement).toHaveTextContent('Automatic reply by SMSdelivered, Mar 2, 2027, 8:00 AM')
  })
})

describe('the next step', () => {
  it.each([
    [{ status: 'Scheduled', scheduledAt: AT }, 'Start', 'in_progress', 'Job started'],
    [{ status: 'In Progress' }, 'Done', 'completed', 'Job done'],
    [{ status: 'Cancelled' }, 'Restore', 'scheduled', 'Job restored'],
  ] as const)('of %o is %s', async (parts, label, to, title) => {
    const { job, user: person } = await open(parts)
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...job, version: 2 } })
    await person.click(screen.getByRole('button', { name: label }))
    expect(await screen.findByText(title)).toBeInTheDocument()
    expect(await sentTo('POST', `/api/jobs/${job.id}/status`)).toEqual({ to })
  })

  it('can be taken back from the toast, and from the page for a minute', async () => {
    const { job, user: person } = await open({ scheduledAt: AT })
    const event = buildWorkEvent({ kind: 'started', title: 'Work started' })
    const changed = { ...job, status: 'In Progress', version: 2, undo: { eventId: event.id, until: UNTIL }, events: [event] }
    server.on('POST', `/api/jobs/${job.id}/status`, { body: changed })
    server.on('POST', `/api/work/${event.id}/undo`, { body: { jobId: job.id, leadId: job.leadId } })
    server.on('GET', `/api/jobs/${job.id}`, { body: changed })
    await person.click(screen.getByRole('button', { name: 'Start' }))
    const toast = within(await screen.findByRole('region', { name: /Notifications/ }))
    expect(await screen.findByText('Work started. It can be taken back for a minute.')).toBeInTheDocument()
    server.on('GET', `/api/jobs/${job.id}`, { body: job })
    await person.click(await toast.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Undone')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Start' })).toBeInTheDocument()
    expect(screen.queryByText(/It can be taken back for a minute/)).not.toBeInTheDocument()
  })

  it('asks for the photos that are missing, and lets the office go on without', async () => {
    const { job, user: person } = await open({ status: 'In Progress', requiredPhotos: 'after' })
    server.on('POST', `/api/jobs/${job.id}/status`, problemAnswer(buildProblem(422, 'validation_failed', { errors: { photos: 'Add a photo taken after the work first.' } })))
    await person.click(screen.getByRole('button', { name: 'Done' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Photos are missing' }))
    expect(dialog.getByText('Add a photo taken after the work first.')).toBeInTheDocument()
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...job, status: 'Completed' } })
    await person.click(dialog.getByRole('button', { name: 'Done without photos' }))
    expect(await screen.findByText('Job done')).toBeInTheDocument()
    expect(await sentTo('POST', `/api/jobs/${job.id}/status`)).toEqual({ to: 'completed', force: true })
  })

  it('that somebody else took meanwhile says so and shows how it stands', async () => {
    const { job, user: person } = await open({ scheduledAt: AT })
    server.on('POST', `/api/jobs/${job.id}/status`, problemAnswer(buildProblem(409, 'conflict', { detail: 'This job is done already.' })))
    server.on('GET', `/api/jobs/${job.id}`, { body: { ...job, status: 'Completed' } })
    await person.click(screen.getByRole('button', { name: 'Start' }))
    expect(await screen.findByText('This job is done already.')).toBeInTheDocument()
    expect(await screen.findByText('Completed', { selector: 'header span' })).toBeInTheDocument()
  })

  it('cancels only with a reason', async () => {
    const { job, user: person } = await open({ scheduledAt: AT })
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...job, status: 'Cancelled' } })
    await person.click(screen.getByRole('button', { name: 'More' }))
    await person.click(await screen.findByRole('button', { name: 'Cancel the job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Cancel this job?' }))
    await person.click(dialog.getByRole('button', { name: 'Cancel the job' }))
    expect(await dialog.findByText('Please say why, in a few words')).toBeInTheDocument()
    await person.type(dialog.getByLabelText(/^Reason/), 'Customer moved away')
    await person.click(dialog.getByRole('button', { name: 'Cancel the job' }))
    expect(await screen.findByText('Job cancelled')).toBeInTheDocument()
    expect(await sentTo('POST', `/api/jobs/${job.id}/status`)).toEqual({ to: 'cancelled', reason: 'Customer moved away' })
  })
})

describe('scheduling', () => {
  it('takes day, time, length and crew on the business’s clock, and names what overlaps', async () => {
    const { job, user: person } = await open()
    const other = buildJob({ number: 1008, customer: 'Ben Builder', crewId: crew.id, date: '2027-03-02T15:00:00.000Z', endsAt: '2027-03-02T17:00:00.000Z' })
    server.on('GET', '/api/jobs', (_request, url) => ({ body: url.searchParams.get('crewId') === crew.id ? [other] : [] }))
    await person.click(screen.getByRole('button', { name: 'Schedule' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Schedule this job' }))
    await person.clear(dialog.getByLabelText('Day'))
    await person.type(dialog.getByLabelText('Day'), '2027-03-02')
    expect(dialog.queryByText(/^Overlaps/)).not.toBeInTheDocument()
    await person.selectOptions(await dialog.findByLabelText('Crew'), 'North crew')
    expect(await dialog.findByText('Overlaps #1008, 9:00 AM – 11:00 AM, Ben Builder')).toBeInTheDocument()
    expect(within(dialog.getByLabelText('Crew')).queryByRole('option', { name: 'Old crew' })).not.toBeInTheDocument()
    await person.selectOptions(dialog.getByLabelText('Duration'), '3 h')
    server.on('POST', `/api/jobs/${job.id}/schedule`, { body: { job: { ...job, scheduledAt: AT, undo: { eventId: buildId(), until: UNTIL } }, conflicts: [{ jobId: other.id, number: 1008, customer: 'Ben Builder', startsAt: other.date, endsAt: other.endsAt }], undo: null } })
    await person.click(dialog.getByRole('button', { name: 'Schedule' }))
    expect(await screen.findByText('Tue, Mar 2, 2027 8:00 AM, North crew. Overlaps #1008.')).toBeInTheDocument()
    expect(await sentTo('POST', `/api/jobs/${job.id}/schedule`)).toEqual({ startsAt: AT, durationMinutes: 180, crewId: crew.id, version: 1 })
  })

  it('asks for a day before anything is sent', async () => {
    const { user: person } = await open()
    await person.click(screen.getByRole('button', { name: 'Schedule' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Schedule this job' }))
    await person.clear(dialog.getByLabelText('Day'))
    await person.click(dialog.getByRole('button', { name: 'Schedule' }))
    expect(await dialog.findByText('Choose a day and a time.')).toBeInTheDocument()
  })

  it('gives the job to another crew and keeps its time; takes it off the schedule and keeps its crew', async () => {
    const { job, user: person } = await open({ scheduledAt: AT, endsAt: '2027-03-02T16:00:00.000Z' })
    server.on('POST', `/api/jobs/${job.id}/schedule`, { body: { job: { ...job, crewAssigned: 'North crew', crewId: crew.id, version: 2 }, conflicts: [], undo: null } })
    server.on('GET', `/api/jobs/${job.id}`, { body: { ...job, crewAssigned: 'North crew', crewId: crew.id, version: 2 } })
    await person.click(screen.getByRole('button', { name: 'More' }))
    await person.click(await screen.findByRole('button', { name: 'Reassign' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Reassign' }))
    await person.selectOptions(await dialog.findByLabelText('Crew'), 'North crew')
    await person.click(dialog.getByRole('button', { name: 'Reassign' }))
    expect(await screen.findByText('Reassigned')).toBeInTheDocument()
    expect(await sentTo('POST', `/api/jobs/${job.id}/schedule`)).toEqual({ startsAt: AT, durationMinutes: 120, crewId: crew.id, version: 1 })

    await person.click(screen.getByRole('button', { name: 'More' }))
    await person.click(await screen.findByRole('button', { name: 'Take off the schedule' }))
    expect(await screen.findByText('Taken off the schedule')).toBeInTheDocument()
    expect(await sentTo('POST', `/api/jobs/${job.id}/schedule`)).toEqual({ startsAt: null, crewId: crew.id, version: 2 })
  })
})

describe('editing', () => {
  it('sends what changed, with the version that was looked at', async () => {
    const { job, user: person } = await open({ version: 4 })
    server.on('PATCH', `/api/jobs/${job.id}`, { body: { ...job, version: 5 } })
    await person.click(screen.getByRole('button', { name: 'More' }))
    await person.click(await screen.findByRole('button', { name: 'Edit the job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit the job' }))
    await person.clear(await dialog.findByLabelText(/^Value/))
    await person.type(dialog.getByLabelText(/^Value/), '1,400')
    await person.type(dialog.getByLabelText('Materials'), 'Copper pipe{Enter}')
    await person.selectOptions(dialog.getByLabelText('Priority'), 'Rush')
    await person.click(dialog.getByRole('button', { name: 'Save the job' }))
    expect(await screen.findByText('Job saved')).toBeInTheDocument()
    expect(await sentTo('PATCH', `/api/jobs/${job.id}`)).toEqual({ version: 4, value: 1400, materials: ['Copper pipe'], priority: 'rush' })
  })
})

describe('notes and the checklist', () => {
  it('a note is added once, and its words are kept when it fails', async () => {
    const { job, user: person } = await open()
    server.on('POST', `/api/jobs/${job.id}/notes`, problemAnswer(buildProblem(503, 'unavailable', { detail: 'The database is away.' })))
    await person.type(screen.getByLabelText('New note'), 'Dog in the yard')
    await person.click(screen.getByRole('button', { name: 'Add note' }))
    expect(await screen.findByText('Note not added')).toBeInTheDocument()
    expect(screen.getByLabelText('New note')).toHaveValue('Dog in the yard')
    server.on('POST', `/api/jobs/${job.id}/notes`, { status: 201, body: { id: buildId(), body: 'Dog in the yard', author: user.name, at: AT } })
    await person.click(screen.getByRole('button', { name: 'Add note' }))
    await waitFor(() => expect(screen.getByLabelText('New note')).toHaveValue(''))
    const keys = server.requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers.get('Idempotency-Key'))
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it('a line is ticked, and says by whom and when', async () => {
    const line = { id: buildId(), label: 'Water off', doneAt: null, doneBy: null }
    const { job, user: person } = await open({ checklist: [line, { ...line, id: buildId(), label: 'Floor covered', doneAt: AT, doneBy: 'Dave' }] })
    expect(screen.getByText('1 of 2 done')).toBeInTheDocument()
    expect(screen.getByText('Dave, Mar 2, 2027, 8:00 AM')).toBeInTheDocument()
    server.on('PATCH', `/api/jobs/${job.id}/checklist/${line.id}`, { body: { ...job, checklist: [{ ...line, doneAt: AT, doneBy: 'Olivia Owner' }] } })
    await person.click(screen.getByRole('checkbox', { name: 'Water off' }))
    expect(await screen.findByText('1 of 1 done')).toBeInTheDocument()
    expect(await sentTo('PATCH', `/api/jobs/${job.id}/checklist/${line.id}`)).toMatchObject({ done: true })
  })
})

describe('the content', () => {
  const before = buildFile({ name: 'tap.jpg', moment: 'before', size: 250_000 })
  const after = buildFile({ name: 'new-tap.jpg', moment: 'after', category: 'completion_photo' })
  const paper = buildFile({ name: 'Carla - Estimate EST-1001.pdf', type: 'document', category: 'estimate', moment: null, thumbUrl: null, status: 'viewed', sentVia: 'email', sentAt: AT, size: 3_400_000, by: null })

  it('shows each photo with its badges, and the way to all of them', async () => {
    const { job, user: person } = await open({ files: [after, before] })
    const card = cardOf('Automated Content')
    expect(card.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent)).toEqual(['Before the work (1)', 'After the work (1)'])
    const row = within(card.getByText('tap.jpg').closest('li') ?? document.body)
    expect(row.getByText('Progress photo')).toBeInTheDocument()
    expect(row.getByText('Not sent')).toBeInTheDocument()
    expect(row.getByText('244.1 KB · Job Tracker · Nov 20, 2026 · Olivia Owner')).toBeInTheDocument()
    expect(row.getByRole('link', { name: /^Download/ })).toHaveAttribute('href', `/api/files/${before.id}?download=1`)
    expect(card.getByRole('link', { name: 'Download all' })).toHaveAttribute('href', `/api/jobs/${job.id}/files.zip?type=photo`)
    await person.click(row.getByRole('button', { name: /^View/ }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Photo 1 of 2' }))
    expect(dialog.getByRole('img', { name: 'tap.jpg' })).toHaveAttribute('src', before.url)
    await person.click(dialog.getByRole('button', { name: 'Next' }))
    expect(await screen.findByRole('dialog', { name: 'Photo 2 of 2' })).toBeInTheDocument()
  })

  it('shows each document with how it went out, and no way to remove a paper', async () => {
    const { job, user: person } = await open({ files: [paper] })
    await person.click(screen.getByRole('tab', { name: 'Documents' }))
    const row = within(screen.getByText(paper.name).closest('li') ?? document.body)
    expect(row.getByText('Estimate')).toBeInTheDocument()
    expect(row.getByText('Viewed')).toBeInTheDocument()
    expect(row.getByText(/^3\.2 MB · Email · Mar 2, 2027/)).toBeInTheDocument()
    expect(row.getByRole('link', { name: /^View/ })).toHaveAttribute('href', paper.url)
    expect(row.queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Download all' })).toHaveAttribute('href', `/api/jobs/${job.id}/files.zip?type=document`)
  })

  it('removes a photo after asking', async () => {
    const { user: person } = await open({ files: [before] })
    server.on('DELETE', `/api/files/${before.id}`, { status: 204 })
    await person.click(screen.getByRole('button', { name: 'Remove tap.jpg' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove this file?' }))
    await person.click(dialog.getByRole('button', { name: 'Remove' }))
    expect(await screen.findByText('File removed')).toBeInTheDocument()
  })

  it('sends photos as taken before, and what failed again under the same key', async () => {
    vi.stubGlobal('createImageBitmap', async () => ({ width: 100, height: 80, close: () => undefined }))
    const { job, user: person } = await open()
    const path = `/api/jobs/${job.id}/files`
    server.on('POST', path, problemAnswer(buildProblem(507, 'storage_full', { detail: 'Your file space of 5 GB is full. Remove files you do not need.' })))
    const input = cardOf('Automated Content').getByRole('tabpanel', { name: 'Photos' }).querySelector('input[type=file]')
    await person.upload(input as HTMLInputElement, [new File(['a'], 'wall.png', { type: 'image/png' })])
    expect(await screen.findByText('Your file space of 5 GB is full. Remove files you do not need.')).toBeInTheDocument()
    expect(screen.getByText('wall.png')).toBeInTheDocument()
    server.on('POST', path, { status: 201, body: [before] })
    server.on('GET', `/api/jobs/${job.id}`, { body: { ...job, files: [before] } })
    await person.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('tap.jpg')).toBeInTheDocument()
    const sent = server.requests.filter((request) => request.method === 'POST' && new URL(request.url).pathname === path)
    expect(new Set(sent.map(({ headers }) => headers.get('Idempotency-Key'))).size).toBe(1)
    const form = await sent.at(-1)?.formData()
    expect(form?.get('moment')).toBe('before')
    expect(form?.getAll('files')).toHaveLength(1)
  })
})
