// Setup of job page tests.
import { screen, within } from '@testing-library/react'
import type { CurrentUser, Schema } from '@/api/client'
import { buildUser } from './builders'
import { type FakeServer, startFakeServer } from './fake-server'
import { buildCrew, buildJobDetail } from './job-builders'
import { buildMoney } from './paper-builders'
import { renderApp } from './render-app'

export const northCrew = buildCrew({ name: 'North crew' })

export function startJobServer(user: CurrentUser = buildUser()): FakeServer {
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/crews', { body: [northCrew, buildCrew({ name: 'Old crew', isActive: false })] })
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', /^\/api\/jobs\/[^/]+\/costs$/, { body: { costs: [], total: 0, revenue: null, margin: null } })
  server.on('GET', /^\/api\/leads\/[^/]+\/money$/, { body: buildMoney() })
  return server
}

/** `tab`: the one that is open. */
export async function openJob(server: FakeServer, parts: Partial<Schema['JobDetail']> = {}, tab = 'work') {
  const job = buildJobDetail(parts)
  server.on('GET', `/api/jobs/${job.id}`, { body: job })
  const app = renderApp(`/app/jobs/${job.id}?tab=${tab}`)
  await screen.findByText(`#${job.number}`)
  return { job, person: app.user }
}

export function getCard(title: string) {
  const card = screen.getByRole('heading', { name: title }).closest('section')
  if (!card) throw new Error(`${title} heads no card`)
  return within(card)
}

export async function lastRequestBody(server: FakeServer, method: string, path: string): Promise<unknown> {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.clone().json()) as unknown) : undefined
}
