import 'fake-indexeddb/auto'
import { QueryClient, useQuery } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sessionQueries } from '@/features/session/queries'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { QueryBoundary } from '@/ui/query-boundary'
import { deviceStore } from '@/offline/device-store'
import { OfflineCache } from '@/offline/offline-cache'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { wipeDevice } from '@/offline/wipe-device'

const user = buildUser({ orgId: 'o1', id: 'u1' })
const KEY = ['org', 'o1', 'leads']
let server: FakeServer

function Leads() {
  const me = useQuery(sessionQueries.me())
  const leads = useQuery({
    queryKey: KEY,
    queryFn: async () => (await fetch(new Request(`${location.origin}/api/leads/o1`))).json() as Promise<string[]>,
    meta: { offline: true },
  })
  return (
    <>
      <p>me: {me.data?.name ?? 'nobody'}</p>
      <QueryBoundary query={leads} timeZone="UTC">
        {(names) => <p>leads: {names.join(', ')}</p>}
      </QueryBoundary>
    </>
  )
}

/** The app as a fresh page starts it. */
function startPage() {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, retry: false, networkMode: 'always', gcTime: Infinity } },
  })
  render(
    <OfflineCache client={client}>
      <Leads />
    </OfflineCache>,
  )
  return client
}

const saved = async () => (await deviceStore.read('cache')) ?? ''

/** When the saved state was made, in milliseconds; fails before the first save. */
const savedAt = async () => (JSON.parse(await saved()) as { timestamp: number }).timestamp

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/leads/o1', { body: ['Ana'] })
})

afterEach(async () => {
  cleanup()
  await deviceStore.reopen()
  await deviceStore.forget()
})

async function startOnlineAndSave() {
  const client = startPage()
  await screen.findByText('leads: Ana')
  await waitFor(async () => expect(await saved()).toContain('Ana'))
  cleanup()
  return client
}

describe('offline start', () => {
  it('shows the last user and data with its age', async () => {
    await startOnlineAndSave()
    server.goOffline()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    startPage()
    expect(await screen.findByText('leads: Ana')).toBeInTheDocument()
    expect(screen.getByText('me: Olivia Owner')).toBeInTheDocument()
    expect(screen.getByText(/^Offline copy, as of \d{1,2}:\d{2}/)).toBeInTheDocument()
  })

  it('server unreachable: says that the data is the device’s copy', async () => {
    await startOnlineAndSave()
    server.goOffline()
    // A new page starts later than the kept data.
    vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() + 1)
    startPage()
    expect(await screen.findByText(/^Could not refresh, offline copy, as of \d{1,2}:\d{2}/)).toBeInTheDocument()
  })

  it('failed refresh: keeps the data for the next start', async () => {
    await startOnlineAndSave()
    server.goOffline()
    const client = startPage()
    expect(await screen.findByText(/^Could not refresh, as of/)).toBeInTheDocument()
    const changedAt = Date.now()
    client.setQueryData(['other'], 'x')
    await waitFor(async () => expect(await savedAt()).toBeGreaterThanOrEqual(changedAt))
    expect(await saved()).toContain('Ana')
  })
})

describe('page closed between two saves', () => {
  const hide = () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
  }

  it.each([
    ['is left', () => globalThis.dispatchEvent(new Event('pagehide'))],
    ['is hidden', hide],
  ])('saves the newest state on %s', async (_how, goAway) => {
    const client = startPage()
    await waitFor(async () => expect(await saved()).toContain('Ana'))
    const write = vi.spyOn(deviceStore, 'write')
    client.setQueryData(KEY, ['Ben'])
    document.dispatchEvent(new Event('visibilitychange'))
    expect(await saved()).not.toContain('Ben')
    expect(write).not.toHaveBeenCalled()
    goAway()
    // Less than the throttle of the saves, 300 ms.
    await waitFor(async () => expect(await saved()).toContain('Ben'), { timeout: 250 })
  })

  it('keeps what was typed: a state from before it, still to be saved, does not follow', async () => {
    const client = startPage()
    await waitFor(async () => expect(await saved()).toContain('Ana'))
    const write = vi.spyOn(deviceStore, 'write')
    const draft = ['org', 'o1', 'inbox-draft', 'c1']
    client.setQueryDefaults(draft, { meta: { offline: true, isTyped: true } })
    // The second one waits for the throttle.
    client.setQueryData(KEY, ['Ben'])
    client.setQueryData(KEY, ['Ben', 'Cleo'])
    client.setQueryData(draft, { body: 'Yes, from eight' })
    const typedAt = () => write.mock.calls.findIndex(([, , text]) => text.includes('Yes, from eight'))
    await waitFor(() => expect(typedAt()).toBeGreaterThanOrEqual(0))
    await waitFor(() => expect(write.mock.calls.length).toBeGreaterThan(typedAt() + 1))
    await Promise.all(write.mock.results.map(({ value }) => value as Promise<void>))
    expect(await saved()).toContain('Yes, from eight')
  })

  it('does not restore removed data', async () => {
    const client = startPage()
    await waitFor(async () => expect(await saved()).toContain('Ana'))
    const write = vi.spyOn(deviceStore, 'write')
    client.setQueryData(KEY, ['Ben'])
    await wipeDevice()
    globalThis.dispatchEvent(new Event('pagehide'))
    await waitFor(() => expect(write).toHaveBeenCalled())
    await Promise.all(write.mock.results.map(({ value }) => value as Promise<void>))
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    expect(await saved()).toBe('')
  })
})

describe('online start', () => {
  it('shows kept data at once, then fresh data', async () => {
    await startOnlineAndSave()
    server.on('GET', '/api/leads/o1', { body: ['Ben', 'Ana'] })
    startPage()
    expect(await screen.findByText('leads: Ana')).toBeInTheDocument()
    expect(await screen.findByText('leads: Ben, Ana')).toBeInTheDocument()
  })

  it('deletes the data when the server ends the session', async () => {
    await startOnlineAndSave()
    server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))
    startPage()
    expect(await screen.findByText('me: nobody')).toBeInTheDocument()
    await waitFor(async () => expect(await saved()).toBe(''))
  })
})

describe('kept data', () => {
  it('belongs to one user of one organization; the next user’s replaces it', async () => {
    await deviceStore.write('o1:u1', 'cache', 'first')
    server.on('GET', '/api/auth/me', { body: buildUser({ orgId: 'o2', id: 'u2' }) })
    await deviceStore.write('o2:u2', 'cache', 'second')
    expect(await saved()).toBe('second')
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    expect(await saved()).toBe('')
  })

  it('is gone after logout, also with a save in flight', async () => {
    const removed: string[] = []
    vi.stubGlobal('caches', {
      keys: async () => ['workbox-precache-v2-x', 'photos'],
      delete: async (name: string) => removed.push(name),
    })
    sessionStorage.setItem('draft', 'words')
    await deviceStore.write('o1:u1', 'cache', 'secret')
    await outboxStore.add('o1:u1', {
      key: 'k',
      jobId: 'j1',
      jobName: '#1007',
      command: { kind: 'note', body: 'Gate code 4711' },
      happenedAt: '2026-11-20T15:04:05.000Z',
    })
    await wipeDevice()
    await waitFor(async () => expect(await outboxStore.owners()).toEqual([]))
    await deviceStore.write('o1:u1', 'cache', 'late save')
    expect(localStorage.getItem('toolbox.offline-owner')).toBeNull()
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    expect(await saved()).toBe('')
    expect(removed).toEqual(['photos'])
    expect(sessionStorage).toHaveLength(0)
  })
})
