import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildId, buildProblem } from '@/testing/builders'
import { type FakeServer, buildProblemResponse } from '@/testing/fake-server'
import { loadJobScreens } from '@/testing/load-screens'
import { getCard, openJob, lastRequestBody, startJobServer } from '@/testing/open-job'
import type { JobCost, JobCosts } from './cost-text'

let server: FakeServer
const COSTS = /^\/api\/jobs\/[^/]+\/costs$/

const tank: JobCost = {
  id: buildId(),
  kind: 'materials',
  quantity: 1,
  rate: 640,
  amount: 640,
  note: '50 gallon tank',
  by: 'Olivia Owner',
  at: '2026-11-20T15:04:05.000Z',
}
const hours: JobCost = {
  id: buildId(),
  kind: 'labor',
  quantity: 2.5,
  rate: 45.5,
  amount: 113.75,
  note: null,
  by: null,
  at: '2026-11-21T15:04:05.000Z',
}
const left = (costs: JobCost[]): JobCosts => {
  const total = costs.reduce((sum, { amount }) => sum + amount, 0)
  return {
    costs,
    total,
    revenue: 1250,
    margin:
      costs.length === 0
        ? { amount: 812.5, percent: 65, isEstimate: true }
        : { amount: 1250 - total, percent: 100 - total / 12.5, isEstimate: false },
  }
}

beforeAll(() => Promise.all([loadJobScreens(), import('./cost-dialog')]))

beforeEach(() => {
  server = startJobServer()
})

describe('costs of a job', () => {
  it('are listed with their breakdown, and the margin', async () => {
    server.on('GET', COSTS, { body: left([tank, hours]) })
    await openJob(server, {}, 'money')
    const list = await screen.findByRole('list', { name: 'Costs, oldest first' })
    expect(
      within(list)
        .getAllByRole('listitem')
        .map((row) => row.textContent),
    ).toEqual([
      'Materials: 50 gallon tankOlivia Owner, Nov 20, 2026$640.00',
      'Labor2.5 h at $45.50, Nov 21, 2026$113.75',
    ])
    expect(getCard('Costs').getByText('Costs in all').parentElement).toHaveTextContent('$753.75')
    expect(getCard('Costs').getByText('Margin of this job').parentElement).toHaveTextContent('$496.25, 40%')
    expect(getCard('Costs').queryByText('est.')).not.toBeInTheDocument()
  })

  it('none noted: show the default margin as an estimate', async () => {
    server.on('GET', COSTS, { body: left([]) })
    await openJob(server, {}, 'money')
    expect((await screen.findByText('Margin of this job')).parentElement).toHaveTextContent(
      'est.: Without noted costs your usual margin is taken.$812.50, 65%',
    )
    expect(getCard('Costs').getByText(/^No costs noted yet/)).toBeInTheDocument()
  })

  it('without a price: show no margin', async () => {
    server.on('GET', COSTS, { body: { ...left([tank]), revenue: null, margin: null } })
    await openJob(server, {}, 'money')
    expect((await screen.findByText('Margin of this job')).parentElement).toHaveTextContent('No price yet')
  })

  it('load error: can be retried', async () => {
    server.on('GET', COSTS, buildProblemResponse(buildProblem(500, 'internal')))
    const { person } = await openJob(server, {}, 'money')
    expect(await screen.findByText('Costs could not be loaded')).toBeInTheDocument()
    server.on('GET', COSTS, { body: left([tank]) })
    await person.click(getCard('Costs').getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Materials: 50 gallon tank')).toBeInTheDocument()
  })
})

describe('job cost', () => {
  it('is added with amount and note', async () => {
    const { job, person } = await openJob(server, {}, 'money')
    server.on('POST', COSTS, { status: 201, body: left([tank]) })
    await person.click(getCard('Costs').getByRole('button', { name: 'Add cost' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a cost' }))
    await person.click(dialog.getByRole('button', { name: 'Add cost' }))
    expect(await dialog.findByText('Enter an amount above $0.00')).toBeInTheDocument()
    await person.type(dialog.getByLabelText(/^Amount/), '$640')
    await person.type(dialog.getByLabelText(/^Note/), '50 gallon tank')
    await person.click(dialog.getByRole('button', { name: 'Add cost' }))
    expect(await screen.findByText('Materials: 50 gallon tank')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/costs`)).toEqual({
      kind: 'materials',
      amount: 640,
      note: '50 gallon tank',
    })
    expect(server.requests.findLast(({ method }) => method === 'POST')?.headers.get('Idempotency-Key')).toBeTruthy()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('of labor: hours times rate', async () => {
    const { job, person } = await openJob(server, {}, 'money')
    server.on('POST', COSTS, { status: 201, body: left([hours]) })
    await person.click(getCard('Costs').getByRole('button', { name: 'Add cost' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a cost' }))
    await person.click(dialog.getByRole('radio', { name: 'Labor' }))
    await person.type(dialog.getByLabelText(/^Hours/), 'two')
    await person.type(dialog.getByLabelText(/^An hour costs/), '45.50')
    await person.click(dialog.getByRole('button', { name: 'Add cost' }))
    expect(await dialog.findByText('Enter hours like 2.5')).toBeInTheDocument()
    await person.clear(dialog.getByLabelText(/^Hours/))
    await person.type(dialog.getByLabelText(/^Hours/), '2.5')
    await person.click(dialog.getByRole('button', { name: 'Add cost' }))
    expect(await screen.findByText('2.5 h at $45.50, Nov 21, 2026')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/costs`)).toEqual({
      kind: 'labor',
      quantity: 2.5,
      rate: 45.5,
    })
  })

  it('refused by the server: keeps the input, with the error at its field', async () => {
    const { person } = await openJob(server, {}, 'money')
    server.on(
      'POST',
      COSTS,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { amount: 'This is more than a job costs' } }),
      ),
    )
    await person.click(getCard('Costs').getByRole('button', { name: 'Add cost' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a cost' }))
    await person.type(dialog.getByLabelText(/^Amount/), '900000000')
    await person.click(dialog.getByRole('button', { name: 'Add cost' }))
    expect(await dialog.findByText('This is more than a job costs')).toBeInTheDocument()
    expect(dialog.getByLabelText(/^Amount/)).toHaveValue('900000000')
  })

  it('removed by mistake: restored by Undo', async () => {
    server.on('GET', COSTS, { body: left([tank]) })
    const { job, person } = await openJob(server, {}, 'money')
    server.on('DELETE', `/api/jobs/${job.id}/costs/${tank.id}`, { body: left([]) })
    server.on('POST', COSTS, { status: 201, body: left([{ ...tank, id: buildId() }]) })
    await person.click(await screen.findByRole('button', { name: 'Remove 50 gallon tank, $640.00' }))
    await waitFor(() => expect(screen.queryByText('Materials: 50 gallon tank')).not.toBeInTheDocument())
    await person.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Materials: 50 gallon tank')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', `/api/jobs/${job.id}/costs`)).toEqual({
      kind: 'materials',
      amount: 640,
      note: '50 gallon tank',
    })
  })

  it('offline: cannot be added or removed', async () => {
    server.on('GET', COSTS, { body: left([tank]) })
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    await openJob(server, {}, 'money')
    expect(await screen.findByRole('button', { name: 'Remove 50 gallon tank, $640.00' })).toBeDisabled()
    expect(getCard('Costs').getByRole('button', { name: 'Add cost' })).toBeDisabled()
  })
})
