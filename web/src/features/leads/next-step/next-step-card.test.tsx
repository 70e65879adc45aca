import { screen, waitFor } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { buildConversation, buildId, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildJob, buildJobDetail } from '@/testing/job-builders'
import { loadJobScreens, loadLeadScreens } from '@/testing/load-screens'
import { buildEstimate, buildMoney } from '@/testing/paper-builders'
import { renderApp } from '@/testing/render-app'

const id = '3f2a9c1e-0000-4000-8000-000000000001'
let server: FakeServer

beforeAll(() => Promise.all([loadLeadScreens(), loadJobScreens()]))

beforeEach(() => {
  server = startFakeServer()
  const customerId = buildId()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', `/api/leads/${id}`, { body: buildLeadDetail({ id, customerId, name: 'Ana Diaz' }) })
  server.on('GET', `/api/leads/${id}/estimates`, { body: [] })
  server.on('GET', `/api/leads/${id}/money`, { body: buildMoney() })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', `/api/customers/${customerId}/conversation`, {
    body: buildConversation({ customer: { id: customerId } }),
  })
})

it('approved estimate: Schedule opens the new job of the lead', async () => {
  server.on('GET', `/api/leads/${id}/estimates`, { body: [buildEstimate({ status: 'approved', leadId: id })] })
  const { user } = renderApp(`/app/leads/${id}`)
  expect(await screen.findByText('The estimate is approved')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Schedule' }))
  expect(await screen.findByRole('dialog', { name: 'Add a job for Ana Diaz' })).toBeInTheDocument()
  expect(screen.getByRole('tab', { name: 'Jobs' })).toHaveAttribute('aria-selected', 'true')
})

it('link that asks to answer: the reply box has the focus', async () => {
  renderApp(`/app/leads/${id}?do=answer`)
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Text message' })).toHaveFocus())
})

it('link that asks for a crew: leads to the job without one', async () => {
  const job = buildJob({ leadId: id, date: '2027-03-02T15:00:00.000Z' })
  server.on('GET', '/api/jobs', { body: [job] })
  server.on('GET', `/api/jobs/${job.id}`, {
    body: buildJobDetail({ id: job.id, leadId: id, scheduledAt: '2027-03-02T15:00:00.000Z' }),
  })
  renderApp(`/app/leads/${id}?do=assign`)
  expect(await screen.findByRole('dialog', { name: 'Reassign' })).toBeInTheDocument()
})

it('facts not loaded: says so, and can be retried', async () => {
  server.on('GET', `/api/leads/${id}/money`, buildProblemResponse(buildProblem(503, 'unavailable')))
  const { user } = renderApp(`/app/leads/${id}`)
  expect(await screen.findByText("The next step didn't load")).toBeInTheDocument()
  server.on('GET', `/api/leads/${id}/money`, { body: buildMoney() })
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('No estimate yet')).toBeInTheDocument()
})
