import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildConversation, buildProblem, buildText, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const id = 'c0ffee00-0000-4000-8000-000000000001'
const message = buildText({ status: 'held', statusText: 'held: it is night there', cancellable: true })

// A screen's first loading is no part of any story, and takes long on a busy machine.
beforeAll(() => Promise.all([import('./inbox.route'), loadShell()]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('POST', `/api/customers/${id}/read`, { status: 204 })
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Total-Count': '0', 'X-Unread-Count': '0' } })
  const items = [{ type: 'message' as const, at: message.createdAt, message, photos: [] }]
  server.on('GET', `/api/customers/${id}/conversation`, { body: buildConversation({ customer: { id }, items }) })
})

const answerCancel = (problem: ReturnType<typeof buildProblem>) =>
  server.on('DELETE', `/api/messages/${message.id}`, buildProblemResponse(problem))

async function pressDoNotSend() {
  const app = renderApp(`/app/inbox/${id}`)
  await app.user.click(await screen.findByRole('button', { name: 'Do not send' }))
}

describe('message that cannot be cancelled', () => {
  it('has already left: too late', async () => {
    answerCancel(buildProblem(409, 'conflict', { reason: 'message_already_left', detail: 'It left at 9:00 AM.' }))
    await pressDoNotSend()
    expect(await screen.findByText('Too late')).toBeInTheDocument()
    expect(screen.getByText('It left at 9:00 AM.')).toBeInTheDocument()
  })

  it.each([
    ['a fault of the server', buildProblem(500, 'internal')],
    ['another conflict', buildProblem(409, 'conflict', { reason: 'record_changed' })],
  ])('%s: not stopped, and nothing says that it left', async (_name, problem) => {
    answerCancel(problem)
    await pressDoNotSend()
    expect(await screen.findByText('Not stopped')).toBeInTheDocument()
    expect(screen.queryByText('Too late')).not.toBeInTheDocument()
    expect(screen.queryByText('It has already left.')).not.toBeInTheDocument()
  })

  it('offline: not stopped', async () => {
    const app = renderApp(`/app/inbox/${id}`)
    const button = await screen.findByRole('button', { name: 'Do not send' })
    server.goOffline()
    await app.user.click(button)
    expect(await screen.findByText('Not stopped')).toBeInTheDocument()
    expect(screen.getByText(/There is no connection right now/)).toBeInTheDocument()
    expect(screen.queryByText('Too late')).not.toBeInTheDocument()
  })
})
