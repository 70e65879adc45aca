// What stays on the device: enough for a start without a network, and nothing once somebody has signed out.
import 'fake-indexeddb/auto'
import { QueryClient, useQuery } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sessionQueries } from '@/session/queries'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, problemAnswer, startFakeServer } from '@/testing/fake-server'
import { QueryBoundary } from '@/ui/query-boundary'
import { deviceStore } from './device-store'
import { OfflineCache } from './offline-cache'
import { outboxStore } from './outbox/outbox-store'
import { wipe } from './wipe'

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

const pause = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

const saved = async () => (await deviceStore.read('cache')) ?? ''

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
  await waitFor(async () => expect(await saved()).toContain('Ana'), { timeout: 3000 })
  cleanup()
  return client
}

describe('a start without a network', () => {
  it('shows who is signed in and what was last seen, as of when', async () => {
    await startOnlineAndSave()
    server.goOffline()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    startPage()
    expect(await screen.findByText('leads: Ana')).toBeInTheDocument()
    expect(screen.getByText('me: Olivia Owner')).toBeInTheDocument()
    expect(screen.getByText(/^Offline copy, as of \d{1,2}:\d{2}/)).toBeInTheDocument()
  })

  it('says that it is the copy from the device where the server is away', async () => {
    await startOnlineAndSave()
    server.goOffline()
    // A page of its own begins later than what was kept.
    vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() + 1)
    startPage()
    expect(await screen.findByText(/^Could not refresh, offline copy, as of \d{1,2}:\d{2}/)).toBeInTheDocument()
  })

  it('keeps what it has when a refresh fails, for the start after it', async () => {
    await startOnlineAndSave()
    server.goOffline()
    const client = startPage()
    expect(await screen.findByText(/^Could not refresh, as of/)).toBeInTheDocument()
    client.setQueryData(['other'], 'x')
    await pause(1200)
    expect(await saved()).toContain('Ana')
  })
})

describe('a page that goes away between two saves', () => {
  const hide = () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
  }

  it.each([
    ['is left', () => globalThis.dispatchEvent(new Event('pagehide'))],
    ['is hidden', hide],
  ])('keeps the newest state when it %s', async (_how, goAway) => {
    const client = startPage()
    await waitFor(async () => expect(await saved()).toContain('Ana'), { timeout: 3000 })
    client.setQueryData(KEY, ['Ben'])
    document.dispatchEvent(new Event('visibilitychange'))
    await pause(50)
    expect(await saved()).not.toContain('Ben')
    goAway()
    await pause(50)
    expect(await saved()).toContain('Ben')
  })

  it('does not bring back what was removed', async () => {
    const client = startPage()
    await waitFor(async () => expect(await saved()).toContain('Ana'), { timeout: 3000 })
    client.setQueryData(KEY, ['Ben'])
    await wipe()
    globalThis.dispatchEvent(new Event('pagehide'))
    await pause(50)
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    expect(await saved()).toBe('')
  })
})

describe('a start with a network', () => {
  it('shows what was kept at once and then what is new', async () => {
    await startOnlineAndSave()
    server.on('GET', '/api/leads/o1', { body: ['Ben', 'Ana'] })
    startPage()
    expect(await screen.findByText('leads: Ana')).toBeInTheDocument()
    expect(await screen.findByText('leads: Ben, Ana')).toBeInTheDocument()
  })

  it('takes the data off the device when the server says the session is over', async () => {
    await startOnlineAndSave()
    server.on('GET', '/api/auth/me', problemAnswer(buildProblem(401, 'unauthenticated')))
    startPage()
    expect(await screen.findByText('me: nobody')).toBeInTheDocument()
    await waitFor(async () => expect(await saved()).toBe(''))
  })
})

describe('what is kept', () => {
  it('belongs to one user of one org: the next one’s data takes its place', async () => {
    await deviceStore.write('o1:u1', 'cache', 'first')
    server.on('GET', '/api/auth/me', { body: buildUser({ orgId: 'o2', id: 'u2' }) })
    await deviceStore.write('o2:u2', 'cache', 'second')
    expect(await saved()).toBe('second')
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    expect(await saved()).toBe('')
  })

  it('is gone after signing out, and a save under way does not bring it back', async () => {
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
    await wipe()
    await waitFor(async () => expect(await outboxStore.owners()).toEqual([]))
    await deviceStore.write('o1:u1', 'cache', 'late save')
    expect(localStorage.getItem('toolbox.offline-owner')).toBeNull()
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    expect(await saved()).toBe('')
    expect(removed).toEqual(['photos'])
    expect(sessionStorage).toHaveLength(0)
  })
})
