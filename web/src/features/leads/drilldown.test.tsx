import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { buildLead, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const listPath = `/api/leads/${user.orgId}`
const [carla, ben] = [buildLead({ name: 'Carla Customer' }), buildLead({ name: 'Ben Builder' })]
const ADDRESS = '/app/leads?from=2026-09-11&to=2026-09-17&calls=missed'

afterEach(() => void vi.useRealTimers())

beforeAll(loadLeadScreens)

beforeEach(() => {
  vi.setSystemTime(new Date('2026-09-17T15:00:00Z'))
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', listPath, (_request, url) => {
    if (!url.searchParams.has('from')) return { body: [carla, ben], headers: { 'X-Total-Count': '2' } }
    const headers = { 'X-Total-Count': '1', 'X-Total-Counted': '3' }
    return url.searchParams.get('q') === 'zzz' || url.searchParams.get('calls') === 'recovered'
      ? { body: [], headers: { 'X-Total-Count': '0', 'X-Total-Counted': '0' } }
      : { body: [ben], headers }
  })
})

const chip = () => screen.findByRole('button', { name: 'Remove: Sep 11 – Sep 17 · missed calls' })

it('filtered list: shows filter and figure, and resets by a tap', async () => {
  const app = renderApp(ADDRESS)
  expect(await screen.findByText('3 missed calls of 1 lead')).toBeInTheDocument()
  expect(screen.getByText('Ben Builder')).toBeInTheDocument()
  expect(screen.queryByText('Carla Customer')).not.toBeInTheDocument()
  expect(screen.queryByText('Total leads: 2')).not.toBeInTheDocument()
  await app.user.click(await chip())
  expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
  expect(screen.getByText('Total leads: 2')).toBeInTheDocument()
  expect(screen.queryByText(/missed calls of/)).not.toBeInTheDocument()
})

it('filtered list: search and export respect the filter', async () => {
  const app = renderApp(ADDRESS)
  await chip()
  await app.user.type(screen.getByRole('searchbox'), 'zzz')
  expect(
    await screen.findByText('No leads like that in these days: Sep 11 – Sep 17 · missed calls'),
  ).toBeInTheDocument()
  server.on('GET', '/api/leads/export', { body: '' })
  await app.user.click(screen.getByRole('button', { name: 'Export CSV' }))
  await waitFor(() =>
    expect(server.requests.map(({ url }) => url).find((url) => url.includes('/export'))).toContain(
      'q=zzz&from=2026-09-11&to=2026-09-17&calls=missed',
    ),
  )
})

it('filtered list without rows: says so, and shows all on demand', async () => {
  const app = renderApp('/app/leads?from=2026-09-11&to=2026-09-17&calls=recovered')
  expect(
    await screen.findByText('No leads in these days: Sep 11 – Sep 17 · missed calls recovered'),
  ).toBeInTheDocument()
  await app.user.click(screen.getByRole('button', { name: 'Show all leads' }))
  expect(await screen.findByText('Carla Customer')).toBeInTheDocument()
})
