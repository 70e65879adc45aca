import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildProblem } from '@/testing/builders'
import { type FakeServer, buildProblemResponse } from '@/testing/fake-server'
import { buildJob, buildJobDetail } from '@/testing/job-builders'
import { loadJobScreens } from '@/testing/load-screens'
import { lastRequestBody, startJobServer } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { LeadJobsCard } from './lead-jobs-card'

const lead = { id: 'l1', name: 'Ana Diaz' }
let server: FakeServer

beforeAll(loadJobScreens)

beforeEach(() => {
  server = startJobServer()
})

describe('jobs of a lead', () => {
  it('are requested by lead, and link to their pages', async () => {
    const job = buildJob({
      service: 'roofing',
      number: 1004,
      status: 'In Progress',
      crew: 'North crew',
      date: '2027-03-02T14:00:00.000Z',
      endsAt: '2027-03-02T16:00:00.000Z',
    })
    server.on('GET', '/api/jobs', (_request, url) => ({
      body: url.searchParams.get('leadId') === lead.id ? [job] : [],
    }))
    renderSignedIn(<LeadJobsCard lead={lead} />)
    expect(await screen.findByRole('link', { name: 'Roofing #1004' })).toHaveAttribute('href', `/app/jobs/${job.id}`)
    expect(screen.getByText('Tue, Mar 2, 2027 8:00 AM – 10:00 AM, North crew')).toBeInTheDocument()
    expect(screen.getByText('In Progress')).toBeInTheDocument()
  })

  it('none yet: the first is added with the lead preselected', async () => {
    const job = buildJobDetail({ leadId: lead.id })
    server.on('POST', '/api/jobs', { status: 201, body: job })
    const app = renderSignedIn(<LeadJobsCard lead={lead} />)
    expect(await screen.findByText('No job yet.')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Add job' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a job for Ana Diaz' }))
    expect(dialog.queryByRole('tab')).not.toBeInTheDocument()
    await app.user.click(dialog.getByRole('button', { name: 'Add job' }))
    expect(await screen.findByText('Job added')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', '/api/jobs')).toEqual({ leadId: lead.id, priority: 'standard' })
  })

  it('load error: shown', async () => {
    server.on(
      'GET',
      '/api/jobs',
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'The database is away.' })),
    )
    renderSignedIn(<LeadJobsCard lead={lead} />)
    expect(await screen.findByText('The database is away.')).toBeInTheDocument()
  })
})
