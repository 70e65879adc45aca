import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildId, buildProblem } from '@/testing/builders'
import { type FakeServer, buildProblemResponse } from '@/testing/fake-server'
import { buildJob } from '@/testing/job-builders'
import { loadJobScreens } from '@/testing/load-screens'
import { northCrew, openJob, lastRequestBody, startJobServer } from '@/testing/open-job'
import { buildInvoice, buildMoney, buildWorkEvent } from '@/testing/paper-builders'

let server: FakeServer
const AT = '2027-03-02T14:00:00.000Z'
const UNTIL = '2099-01-01T00:00:00.000Z'

beforeAll(loadJobScreens)

beforeEach(() => {
  server = startJobServer()
})

describe('next job step', () => {
  it.each([
    [{ status: 'Scheduled', scheduledAt: AT }, 'Start', 'in_progress', 'Job started'],
    [{ status: 'In Progress' }, 'Done', 'completed', 'Job done'],
    [{ status: 'Cancelled' }, 'Restore', 'scheduled', 'Job restored'],
  ] as const)('of %o: %s', async (parts, label, to, title) => {
    const { job, person } = await openJob(server, parts)
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...job, version: 2 } })
    await person.click(screen.getByRole('button', { name: label }))
    expect(await screen.findByText(title)).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/status`)).toEqual({ to })
  })

  it('completed job: send the drafted invoice', async () => {
    const id = buildId()
    const draft = buildInvoice({ jobId: id, number: null, status: 'draft' })
    server.on('GET', /^\/api\/leads\/[^/]+\/money$/, { body: buildMoney({ invoices: [buildInvoice(), draft] }) })
    await openJob(server, { id, status: 'Completed' })
    expect(await screen.findByRole('link', { name: 'Send invoice $1,250' })).toHaveAttribute(
      'href',
      `/app/invoices/${draft.id}`,
    )
  })

  it('is undone from the toast, or on the page for a minute', async () => {
    const { job, person } = await openJob(server, { scheduledAt: AT })
    const event = buildWorkEvent({ kind: 'started', title: 'Work started' })
    const changed = {
      ...job,
      status: 'In Progress',
      version: 2,
      undo: { eventId: event.id, until: UNTIL },
      events: [event],
    }
    server.on('POST', `/api/jobs/${job.id}/status`, { body: changed })
    server.on('POST', `/api/work/${event.id}/undo`, { body: { jobId: job.id, leadId: job.leadId } })
    server.on('GET', `/api/jobs/${job.id}`, { body: changed })
    await person.click(screen.getByRole('button', { name: 'Start' }))
    const toast = within(await screen.findByRole('region', { name: /Notifications/ }))
    expect(await screen.findByText('Work started. You can undo it for a minute.')).toBeInTheDocument()
    server.on('GET', `/api/jobs/${job.id}`, { body: job })
    await person.click(await toast.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Undone')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Start' })).toBeInTheDocument()
    expect(screen.queryByText(/You can undo it for a minute/)).not.toBeInTheDocument()
  })

  it('undo names the notice that the customer got', async () => {
    const event = buildWorkEvent({ kind: 'on_my_way', title: 'On the way' })
    const note =
      'Bo Best was already told about 9:21 AM. In a minute we send them the planned time, unless you press On my way again.'
    const { job, person } = await openJob(server, {
      scheduledAt: AT,
      undo: { eventId: event.id, until: UNTIL },
      events: [event],
    })
    server.on('POST', `/api/work/${event.id}/undo`, { body: { jobId: job.id, leadId: job.leadId, note } })
    await person.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText(note)).toBeInTheDocument()
    expect(screen.queryByText('The job is as it was before.')).not.toBeInTheDocument()
  })

  it('asks for missing photos, and lets the office continue without', async () => {
    const { job, person } = await openJob(server, { status: 'In Progress', requiredPhotos: 'after' })
    server.on(
      'POST',
      `/api/jobs/${job.id}/status`,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { photos: 'Add a photo taken after the work first.' } }),
      ),
    )
    await person.click(screen.getByRole('button', { name: 'Done' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Photos are missing' }))
    expect(dialog.getByText('Add a photo taken after the work first.')).toBeInTheDocument()
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...job, status: 'Completed' } })
    await person.click(dialog.getByRole('button', { name: 'Done without photos' }))
    expect(await screen.findByText('Job done')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/status`)).toEqual({
      to: 'completed',
      force: true,
    })
  })

  it('changed by someone else: says so and shows the current state', async () => {
    const { job, person } = await openJob(server, { scheduledAt: AT })
    server.on(
      'POST',
      `/api/jobs/${job.id}/status`,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'This job is done already.' })),
    )
    server.on('GET', `/api/jobs/${job.id}`, { body: { ...job, status: 'Completed' } })
    await person.click(screen.getByRole('button', { name: 'Start' }))
    expect(await screen.findByText('This job is done already.')).toBeInTheDocument()
    expect(await screen.findByText('Completed', { selector: 'header span' })).toBeInTheDocument()
  })

  it('cancelling requires a reason', async () => {
    const { job, person } = await openJob(server, { scheduledAt: AT })
    server.on('POST', `/api/jobs/${job.id}/status`, { body: { ...job, status: 'Cancelled' } })
    await person.click(screen.getByRole('button', { name: 'More for this job' }))
    await person.click(await screen.findByRole('button', { name: 'Cancel the job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Cancel this job?' }))
    await person.click(dialog.getByRole('button', { name: 'Cancel the job' }))
    expect(await dialog.findByText('Please say why, in a few words')).toBeInTheDocument()
    await person.type(dialog.getByLabelText(/^Reason/), 'Customer moved away')
    await person.click(dialog.getByRole('button', { name: 'Cancel the job' }))
    expect(await screen.findByText('Job cancelled')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/status`)).toEqual({
      to: 'cancelled',
      reason: 'Customer moved away',
    })
  })
})

describe('scheduling', () => {
  it('takes day, time, length and crew on the business’s clock, and warns of overlaps', async () => {
    const { job, person } = await openJob(server)
    const other = buildJob({
      number: 1008,
      customer: 'Ben Builder',
      crewId: northCrew.id,
      date: '2027-03-02T15:00:00.000Z',
      endsAt: '2027-03-02T17:00:00.000Z',
    })
    server.on('GET', '/api/jobs', (_request, url) => ({
      body: url.searchParams.get('crewId') === northCrew.id ? [other] : [],
    }))
    await person.click(screen.getByRole('button', { name: 'Schedule' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Schedule this job' }))
    await person.clear(dialog.getByLabelText('Day'))
    await person.type(dialog.getByLabelText('Day'), '2027-03-02')
    expect(dialog.queryByText(/^Overlaps/)).not.toBeInTheDocument()
    await person.selectOptions(await dialog.findByLabelText('Crew'), 'North crew')
    expect(await dialog.findByText('Overlaps #1008, 9:00 AM – 11:00 AM, Ben Builder')).toBeInTheDocument()
    expect(within(dialog.getByLabelText('Crew')).queryByRole('option', { name: 'Old crew' })).not.toBeInTheDocument()
    await person.selectOptions(dialog.getByLabelText('Duration'), '3 h')
    server.on('POST', `/api/jobs/${job.id}/schedule`, {
      body: {
        job: { ...job, scheduledAt: AT, undo: { eventId: buildId(), until: UNTIL } },
        conflicts: [
          { jobId: other.id, number: 1008, customer: 'Ben Builder', startsAt: other.date, endsAt: other.endsAt },
        ],
        undo: null,
      },
    })
    await person.click(dialog.getByRole('button', { name: 'Schedule' }))
    expect(await screen.findByText('Tue, Mar 2, 2027 8:00 AM, North crew. Overlaps #1008.')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/schedule`)).toEqual({
      startsAt: AT,
      durationMinutes: 180,
      crewId: northCrew.id,
      version: 1,
    })
  })

  it('requires a day', async () => {
    const { person } = await openJob(server)
    await person.click(screen.getByRole('button', { name: 'Schedule' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Schedule this job' }))
    await person.clear(dialog.getByLabelText('Day'))
    await person.click(dialog.getByRole('button', { name: 'Schedule' }))
    expect(await dialog.findByText('Choose a day and a time.')).toBeInTheDocument()
  })

  it('reassigns a crew and keeps the time; unschedules and keeps the crew', async () => {
    const { job, person } = await openJob(server, { scheduledAt: AT, endsAt: '2027-03-02T16:00:00.000Z' })
    server.on('POST', `/api/jobs/${job.id}/schedule`, {
      body: {
        job: { ...job, crewAssigned: 'North crew', crewId: northCrew.id, version: 2 },
        conflicts: [],
        undo: null,
      },
    })
    server.on('GET', `/api/jobs/${job.id}`, {
      body: { ...job, crewAssigned: 'North crew', crewId: northCrew.id, version: 2 },
    })
    await person.click(screen.getByRole('button', { name: 'More for this job' }))
    await person.click(await screen.findByRole('button', { name: 'Reassign' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Reassign' }))
    await person.selectOptions(await dialog.findByLabelText('Crew'), 'North crew')
    await person.click(dialog.getByRole('button', { name: 'Reassign' }))
    expect(await screen.findByText('Reassigned')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/schedule`)).toEqual({
      startsAt: AT,
      durationMinutes: 120,
      crewId: northCrew.id,
      version: 1,
    })

    await person.click(screen.getByRole('button', { name: 'More for this job' }))
    await person.click(await screen.findByRole('button', { name: 'Take off the schedule' }))
    expect(await screen.findByText('Taken off the schedule')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/schedule`)).toEqual({
      startsAt: null,
      crewId: northCrew.id,
      version: 2,
    })
  })
})

describe('editing', () => {
  it('sends changed fields with the loaded version', async () => {
    const { job, person } = await openJob(server, { version: 4 })
    server.on('PATCH', `/api/jobs/${job.id}`, { body: { ...job, version: 5 } })
    await person.click(screen.getByRole('button', { name: 'More for this job' }))
    await person.click(await screen.findByRole('button', { name: 'Edit the job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit the job' }))
    await person.clear(await dialog.findByLabelText(/^Value/))
    await person.type(dialog.getByLabelText(/^Value/), '1,400')
    await person.type(dialog.getByLabelText('Materials'), 'Copper pipe{Enter}')
    await person.selectOptions(dialog.getByLabelText('Priority'), 'Rush')
    await person.click(dialog.getByRole('button', { name: 'Save the job' }))
    expect(await screen.findByText('Job saved')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'PATCH', `/api/jobs/${job.id}`)).toEqual({
      version: 4,
      value: 1400,
      materials: ['Copper pipe'],
      priority: 'rush',
    })
  })
})
