// Live events: what they refresh, what a broken stream looks like, and that a flood is one refresh.
import { QueryClient } from '@tanstack/react-query'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settleDemo } from '@/lib/demo'
import { buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { problemAnswer, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import { listenLive } from './live-events'

describe('an event', () => {
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
    stop = listenLive({ client, orgId: 'o1', onState: (state) => states.push(state) })
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })

  it('of a lead refreshes the lists, that lead, and the conversation in sight', async () => {
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
    ])
  })

  it('of a message refreshes its lead, the inbox and the conversation in sight', async () => {
    stream().say('message', { id: 'm1', leadId: 'l2' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'detail', 'l2'])
    expect(refreshed).toContainEqual(['org', 'o1', 'inbox', 'list'])
    expect(refreshed).toContainEqual(['org', 'o1', 'inbox', 'conversation'])
  })

  it.each(['estimate', 'invoice', 'payment'])(
    'of an %s refreshes its lead, with its papers and its money',
    async (topic) => {
      stream().say(topic, { id: 'p1', leadId: 'l3' })
      await vi.advanceTimersByTimeAsync(300)
      expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'detail', 'l3'])
      expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'list'])
    },
  )

  it('of a job refreshes the board, its figures, that job and its lead', async () => {
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
    ])
  })

  it.each(['review', 'review_ask'])('of a %s refreshes the reviews, its lead and the job in sight', async (topic) => {
    stream().say(topic, { id: 'r1', leadId: 'l5' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'reviews'])
    expect(refreshed).toContainEqual(['org', 'o1', 'leads', 'detail', 'l5'])
    expect(refreshed).toContainEqual(['org', 'o1', 'jobs', 'detail'])
  })

  it.each(['message', 'payment'])('of a %s refreshes the job in sight, whose page shows it', async (topic) => {
    stream().say(topic, { id: 'p2', leadId: 'l3' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toContainEqual(['org', 'o1', 'jobs', 'detail'])
  })

  it('of a crew refreshes the crews and where their names stand', async () => {
    stream().say('crew', { id: 'c1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'crews'],
      ['org', 'o1', 'jobs', 'list'],
      ['org', 'o1', 'jobs', 'detail'],
    ])
  })

  it('of a conversation refreshes the inbox and that conversation', async () => {
    stream().say('thread', { id: 'c1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'inbox', 'list'],
      ['org', 'o1', 'inbox', 'conversation', 'c1'],
      ['org', 'o1', 'customers'],
    ])
  })

  it('of an alert refreshes the alerts, and of the settings the settings and the figures reckoned by them', async () => {
    stream().say('alert', { id: 'a1' })
    stream().say('settings', { id: 'o1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([
      ['org', 'o1', 'alerts'],
      ['org', 'o1', 'settings'],
      ['org', 'o1', 'figures'],
    ])
  })

  it('of the demonstration’s settings says that it was made anew: everything is fetched again', async () => {
    history.replaceState(null, '', '/demo')
    settleDemo()
    stream().say('settings', { id: 'o1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([['org', 'o1']])
  })

  it('that tells of missed ones refreshes everything', async () => {
    stream().say('resync', {})
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toEqual([['org', 'o1']])
  })

  it('in a flood is one refresh', async () => {
    for (let each = 0; each < 200; each += 1) stream().say('lead', { id: 'l1' })
    await vi.advanceTimersByTimeAsync(300)
    expect(refreshed).toHaveLength(7)
  })

  it('missed while the stream was broken is made up for', async () => {
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

  it('comes again after an answer that was no stream', async () => {
    stream().fail(true)
    await vi.advanceTimersByTimeAsync(2000)
    expect(FakeEventSource.opened).toHaveLength(2)
    stream().fail(true)
    await vi.advanceTimersByTimeAsync(2000)
    expect(FakeEventSource.opened).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(2000)
    expect(FakeEventSource.opened).toHaveLength(3)
  })

  it('is not waited for any more once stopped', async () => {
    stream().fail(true)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(FakeEventSource.opened).toHaveLength(1)
  })
})

describe('a stream that opens', () => {
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
    stop = listenLive({ client, orgId: 'o1', onState: () => undefined })
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })

  it('fetches anew what was kept on the device, and nothing twice: what happened since is told', async () => {
    await open()
    expect([isDue('kept'), isDue('fetched')]).toEqual([true, false])
  })

  it('leaves alone what is on its way as the page starts', async () => {
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

  it('after a long break fetches everything anew', async () => {
    await open()
    await vi.advanceTimersByTimeAsync(60_000)
    await open()
    expect(isDue('fetched')).toBe(true)
  })
})

describe('the mark in the header', () => {
  const mark = () => screen.getByRole('status', { name: 'Live updates' })
  const shown = async () => {
    startFakeServer().on('GET', '/api/auth/me', { body: buildUser() })
    renderApp('/app/no/such/page')
    await screen.findByRole('heading', { name: 'Page Not Found' })
    await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
  }

  it('says LIVE only while the stream stands', async () => {
    await shown()
    expect(mark()).toHaveTextContent('CONNECTING')
    act(() => FakeEventSource.opened.at(-1)?.open())
    expect(mark()).toHaveTextContent('LIVE')
    act(() => FakeEventSource.opened.at(-1)?.fail())
    expect(mark()).toHaveTextContent('OFFLINE')
  })

  it('says OFFLINE as soon as the browser does', async () => {
    await shown()
    act(() => FakeEventSource.opened.at(-1)?.open())
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    act(() => {
      globalThis.dispatchEvent(new Event('offline'))
    })
    expect(mark()).toHaveTextContent('OFFLINE')
  })
})

describe('a page whose session was ended elsewhere', () => {
  it('asks to sign in again as soon as its stream is refused, before anybody touches it', async () => {
    const server = startFakeServer()
    let isIn = true
    server.on('GET', '/api/auth/me', () =>
      isIn
        ? { body: buildUser() }
        : problemAnswer({
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
