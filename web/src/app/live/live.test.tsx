import { QueryClient } from '@tanstack/react-query'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { resetDemoMode } from '@/lib/demo'
import { buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import { subscribeLiveEvents } from './live-events'

describe('live event', () => {
  const client = new QueryClient()
  const states: string[] = []
  let refreshed: unknown[]
  let stop: () => void
  const stream = () => {
    const last = FakeEventSource.opened.at(-1)
    if (!last) throw new Error('No stream was opened')
    return last
  }

  beforeEach(() => {
    vi.useFakeTimers()
    refreshed = []
    states.length = 0
    vi.spyOn(client, 'invalidateQueries').mockImplementation(async (filters) => {
      refreshed.push(filters?.queryKey)
    })
    stop = subscribeLiveEvents({ client, orgId: 'o1', onState: (state) => states.push(state) })
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })

  it('of a lead: refreshes the lists, that lead, and its open conversation', async () => {
    stream().say('lead', { id: 'l1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'leads', 'list'],
      ['org', 'o1', 'leads', 'detail', 'l1'],
      ['org', 'o1', 'inbox', 'decisions', 'l1'],
      ['org', 'o1', 'customers'],
      ['org', 'o1', 'figures'],
      ['org', 'o1', 'inbox', 'list'],
      ['org', 'o1', 'inbox', 'conversation'],
      ['org', 'o1', 'worklist'],
    ])
  })

  it('of a message: refreshes its lead, the inbox and the open conversation', async () => {
    stream().say('message', { id: 'm1', leadId: 'l2' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'detail', 'l2'])
    expect(refreshed).toContainEqual(['org', 'o1', 'inbox', 'list'])
    expect(refreshed).toContainEqual(['org', 'o1', 'inbox', 'conversation'])
  })

  it.each(['estimate', 'invoice', 'payment'])('of %s: refreshes its lead, documents and money', async (topic) => {
    stream().say(topic, { id: 'p1', leadId: 'l3' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'detail', 'l3'])
    expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'list'])
  })

  it('of a job: refreshes the board, its figures, that job and its lead', async () => {
    stream().say('job', { id: 'j1', leadId: 'l4' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'jobs', 'list'],
      ['org', 'o1', 'jobs', 'summary'],
      ['org', 'o1', 'jobs', 'detail', 'j1'],
      ['org', 'o1', 'customers'],
      ['org', 'o1', 'figures'],
      ['org', 'o1', 'leads', 'list'],
      ['org', 'o1', 'leads', 'detail', 'l4'],
      ['org', 'o1', 'inbox', 'decisions', 'l4'],
      ['org', 'o1', 'worklist'],
    ])
  })

  it.each(['review', 'review_request'])('of %s: refreshes the reviews, its lead and the open job', async (topic) => {
    stream().say(topic, { id: 'r1', leadId: 'l5' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'reviews'])
    expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'detail', 'l5'])
    expect(refreshed).toContainEqual(['org', 'o1', 'jobs', 'detail'])
  })

  it.each(['message', 'payment'])('of %s: refreshes the open job', async (topic) => {
    stream().say(topic, { id: 'p2', leadId: 'l3' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'jobs', 'detail'])
  })

  it('of a crew: refreshes the crews and every place with their names', async () => {
    stream().say('crew', { id: 'c1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'crews'],
      ['org', 'o1', 'jobs', 'list'],
      ['org', 'o1', 'jobs', 'detail'],
    ])
  })

  it('of a mark: refreshes the worklist and its number', async () => {
    stream().say('worklist', { key: 'answer:l1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([['org', 'o1', 'worklist']])
  })

  it('of a call or text of the phone company: refreshes the tests that wait for it', async () => {
    stream().say('provider_call', { id: 'o1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([['org', 'o1', 'settings', 'provider-calls']])
  })

  it('of a conversation: refreshes the inbox and that conversation', async () => {
    stream().say('conversation', { id: 'c1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'inbox', 'list'],
      ['org', 'o1', 'inbox', 'conversation', 'c1'],
      ['org', 'o1', 'customers'],
      ['org', 'o1', 'worklist'],
    ])
  })

  it('of an alert: refreshes the alerts; of the settings: refreshes settings and figures', async () => {
    stream().say('alert', { id: 'a1' })
    stream().say('settings', { id: 'o1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'alerts'],
      ['org', 'o1', 'worklist'],
      ['org', 'o1', 'settings'],
      ['org', 'o1', 'figures'],
    ])
  })

  it('of the demonstration’s settings: refetches everything', async () => {
    history.replaceState(null, '', '/demo')
    resetDemoMode()
    stream().say('settings', { id: 'o1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([['org', 'o1']])
  })

  it('of missed events: refetches everything', async () => {
    stream().say('resync', {})
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([['org', 'o1']])
  })

  it('bursts cause one refresh', async () => {
    for (let each = 0; each < 200; each += 1) stream().say('lead', { id: 'l1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toHaveLength(8)
  })

  it('missed during a broken stream: caught up after reconnecting', async () => {
    stream().open()
    await vi.advanceTimersByTimeAsync(300)
    refreshed = []
    stream().fail()
    expect(states.at(-1)).toBe('lost')
    expect(FakeEventSource.opened).toHaveLength(1)
    stream().open()
    await vi.advanceTimersByTimeAsync(300)
    expect(states.at(-1)).toBe('live')
    expect(refreshed).toEqual([['org', 'o1']])
  })

  it('stream answered with an error: reconnects', async () => {
    stream().fail(true)
    await vi.advanceTimersByTimeAsync(2000)
    expect(FakeEventSource.opened).toHaveLength(2)
    stream().fail(true)
    await vi.advanceTimersByTimeAsync(2000)
    expect(FakeEventSource.opened).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(2000)
    expect(FakeEventSource.opened).toHaveLength(3)
  })

  it('stream stopped: no further reconnect', async () => {
    stream().fail(true)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(FakeEventSource.opened).toHaveLength(1)
  })
})

describe('opening stream', () => {
  const key = (part: string) => ['org', 'o1', part] as const
  let client: QueryClient
  let stop: () => void
  const open = async () => {
    FakeEventSource.opened.at(-1)?.open()
    await vi.advanceTimersByTimeAsync(300)
  }
  const isDue = (part: string) => client.getQueryState(key(part))?.isInvalidated

  beforeEach(() => {
    vi.useFakeTimers()
    client = new QueryClient()
    client.setQueryData(key('kept'), 'since yesterday', { updatedAt: Date.now() - 86_400_000 })
    client.setQueryData(key('fetched'), 'just now')
    stop = subscribeLiveEvents({ client, orgId: 'o1', onState: () => undefined })
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })

  it('refetches data kept on the device, and nothing twice', async () => {
    await open()
    expect([isDue('kept'), isDue('fetched')]).toEqual([true, false])
  })

  it('leaves requests in flight alone', async () => {
    const answers: ((text: string) => void)[] = []
    const asked = client.fetchQuery({
      queryKey: key('asked'),
      queryFn: async () =>
        await new Promise<string>((resolve) => {
          answers.push(resolve)
        }),
    })
    await open()
    answers[0]?.('fresh')
    await expect(asked).resolves.toBe('fresh')
    expect([answers.length, isDue('asked')]).toEqual([1, false])
  })

  it('refetches everything after a long break', async () => {
    await open()
    await vi.advanceTimersByTimeAsync(60_000)
    await open()
    expect(isDue('fetched')).toBe(true)
  })
})

describe('live indicator', () => {
  const mark = () => screen.getByRole('status', { name: 'Live updates' })
  const shown = async () => {
    startFakeServer().on('GET', '/api/auth/me', { body: buildUser() })
    renderApp('/app/no/such/page')
    await screen.findByRole('heading', { name: 'Page Not Found' })
    await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
  }

  it('says LIVE only while the stream is open', async () => {
    await shown()
    expect(mark()).toHaveTextContent('CONNECTING')
    act(() => FakeEventSource.opened.at(-1)?.open())
    expect(mark()).toHaveTextContent('LIVE')
    act(() => FakeEventSource.opened.at(-1)?.fail())
    expect(mark()).toHaveTextContent('OFFLINE')
  })

  it('says OFFLINE as soon as the browser is offline', async () => {
    await shown()
    act(() => FakeEventSource.opened.at(-1)?.open())
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    act(() => {
      globalThis.dispatchEvent(new Event('offline'))
    })
    expect(mark()).toHaveTextContent('OFFLINE')
  })
})

describe('session ended elsewhere', () => {
  it('asks to sign in as soon as the stream is refused', async () => {
    const server = startFakeServer()
    let isIn = true
    server.on('GET', '/api/auth/me', () =>
      isIn
        ? { body: buildUser() }
        : buildProblemResponse({
            type: 'about:blank',
            title: 'Unauthorized',
            status: 401,
            code: 'unauthenticated',
            detail: 'Please sign in.',
            requestId: 'r1',
          }),
    )
    renderApp('/app/no/such/page')
    await screen.findByRole('heading', { name: 'Page Not Found' })
    await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
    act(() => FakeEventSource.opened.at(-1)?.fail(true))
    await waitFor(() => expect(server.requests.filter(({ url }) => url.endsWith('/api/auth/me'))).toHaveLength(2))
    expect(screen.queryByRole('dialog', { name: 'Sign in again' })).not.toBeInTheDocument()
    isIn = false
    act(() => FakeEventSource.opened.at(-1)?.fail(true))
    expect(await screen.findByRole('dialog', { name: 'Sign in again' })).toBeInTheDocument()
  })
})
