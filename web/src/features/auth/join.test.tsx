import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadCrewScreens } from '@/testing/load-screens'
import { lastRequestBody } from '@/testing/open-job'
import { renderApp } from '@/testing/render-app'

const ADDRESS = '/api/public/invite/abc'
const OFFER = { orgName: 'Acme Plumbing', name: 'Sam', email: 'sam@acme.test', role: 'crew', isEmailClosed: false }
const sam = buildUser({ name: 'Sam Field', role: 'crew' })
let server: FakeServer

beforeAll(loadCrewScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', ADDRESS, { body: OFFER })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', '/api/push/devices', { body: [] })
  server.on('GET', '/api/crews', { body: [] })
})

async function fill(app: ReturnType<typeof renderApp>, password = 'three blue ladders', confirm = password) {
  await app.user.type(await screen.findByLabelText(/^Password/), password)
  await app.user.type(screen.getByLabelText(/^Confirm password/), confirm)
  await app.user.click(screen.getByRole('button', { name: 'Join' }))
}

describe('invitation', () => {
  it('names the business, prefills name and email, and opens the crew’s day', async () => {
    server.on('POST', ADDRESS, { status: 201, body: sam })
    const app = renderApp('/join/abc')
    expect(await screen.findByRole('heading', { level: 1, name: 'Join Acme Plumbing' })).toBeInTheDocument()
    expect(screen.getByLabelText(/^Email/)).toHaveValue('sam@acme.test')
    await fill(app, 'three blue ladders', 'other')
    expect(await screen.findByText('Passwords do not match')).toBeInTheDocument()
    await app.user.clear(screen.getByLabelText(/^Confirm password/))
    await app.user.type(screen.getByLabelText(/^Confirm password/), 'three blue ladders')
    await app.user.click(screen.getByRole('button', { name: 'Join' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Today' })).toBeInTheDocument()
    expect(await screen.findByText('You are part of Acme Plumbing now.')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', ADDRESS)).toEqual({
      name: 'Sam',
      email: 'sam@acme.test',
      password: 'three blue ladders',
    })
  })

  it('used since: says so and keeps the input', async () => {
    server.on(
      'POST',
      ADDRESS,
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'This invitation was used already.' })),
    )
    const app = renderApp('/join/abc')
    await fill(app)
    expect(await screen.findByText('This invitation was used already.')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Email/)).toHaveValue('sam@acme.test')
  })

  it('business that cannot send email: says so and what to do, without a form', async () => {
    server.on('GET', ADDRESS, { body: { ...OFFER, isEmailClosed: true } })
    renderApp('/join/abc')
    expect(await screen.findByText('Acme Plumbing cannot send email yet')).toBeInTheDocument()
    expect(screen.getByText(/Ask the owner to look under Settings, Plan and billing/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument()
  })

  it('expired: offers nothing', async () => {
    server.on('GET', ADDRESS, buildProblemResponse(buildProblem(404, 'not_found')))
    renderApp('/join/abc')
    expect(
      await screen.findByRole('heading', { level: 1, name: 'This invitation is no longer valid' }),
    ).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument()
  })
})
