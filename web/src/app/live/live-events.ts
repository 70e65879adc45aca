// The server's events for this org: each says what changed, and what is shown of it is fetched anew.
import type { Query, QueryClient, QueryFilters, QueryKey } from '@tanstack/react-query'
import { inboxQueries } from '@/features/inbox/queries'
import { jobQueries } from '@/features/jobs/queries'
import { leadQueries } from '@/features/leads/queries'
import { peopleQueries } from '@/features/people/queries'
import { customersKey, figuresKey, invoicesKey, pricesKey, reviewsKey } from '@/domain/query-keys'
import { browserAddress, inDemo } from '@/lib/demo'
import type { LiveState } from '@/lib/live-state'

const ADDRESS = '/api/events'
/** A burst of events is one refresh. */
const GATHER_MS = 250
const REOPEN_MS = { first: 2000, most: 30_000 } as const
/** A stream begins by telling what happened in the minute before it; what was fetched within less than that needs no second look. */
const TOLD_MS = 40_000

type LiveEventsOptions = {
  client: QueryClient
  orgId: string
  onState: (state: LiveState) => void
  /** The server answered, and with no stream: who looks may not be signed in any more. */
  onRefused?: () => void
}

/** Refreshes one batch after the other, never two at once: a flood would cancel each refresh by the next. */
function refresher(client: QueryClient) {
  const waiting = new Map<string, QueryFilters>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRefreshing = false

  async function refresh(): Promise<void> {
    timer = undefined
    const batch = [...waiting.values()]
    waiting.clear()
    isRefreshing = true
    await Promise.all(batch.map((filters) => client.invalidateQueries(filters)))
    isRefreshing = false
    if (waiting.size > 0) schedule()
  }

  function schedule(): void {
    if (timer === undefined && !isRefreshing) timer = setTimeout(() => void refresh(), GATHER_MS)
  }

  return {
    add: (...keys: readonly QueryKey[]) => {
      for (const queryKey of keys) waiting.set(JSON.stringify(queryKey), { queryKey })
      schedule()
    },
    /** Of what stands under a key, only what `isDue` says. */
    addSome: (queryKey: QueryKey, isDue: (query: Query) => boolean) => {
      const name = JSON.stringify(queryKey)
      // All of it waits already.
      if (waiting.has(name)) return
      waiting.set(name, { queryKey, predicate: isDue })
      schedule()
    },
    stop: () => {
      clearTimeout(timer)
      waiting.clear()
    },
  }
}

/** A text field of an event's data; undefined where it is not there. */
function field(event: Event, name: 'id' | 'leadId' | 'customerId'): string | undefined {
  if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return undefined
  const data: unknown = JSON.parse(event.data)
  const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Listens until the returned function is called. */
export function listenLive({ client, orgId, onState, onRefused }: LiveEventsOptions): () => void {
  const fresh = refresher(client)
  const begun = Date.now()
  const everything = ['org', orgId] as const
  const settingsKey = [...everything, 'settings'] as const
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  let pause: number = REOPEN_MS.first

  const leadChanged = (id: string | undefined) => {
    fresh.add(
      leadQueries.lists(orgId),
      ...(id === undefined ? [] : [leadQueries.detail(orgId, id).queryKey, inboxQueries.decisions(orgId, id).queryKey]),
      customersKey(orgId),
      figuresKey(orgId),
    )
  }

  const jobChanged = (id: string | undefined) => {
    fresh.add(
      jobQueries.lists(orgId),
      jobQueries.summary(orgId).queryKey,
      ...(id === undefined ? [] : [jobQueries.detail(orgId, id).queryKey]),
      customersKey(orgId),
      figuresKey(orgId),
    )
  }

  /** Without a customer's name it may be about any conversation: those in sight are fetched, the others when they are opened. */
  const threadChanged = (customerId: string | undefined) => {
    fresh.add(
      inboxQueries.lists(orgId),
      customerId === undefined
        ? inboxQueries.conversations(orgId)
        : inboxQueries.conversation(orgId, customerId).queryKey,
      customersKey(orgId),
    )
  }

  function open(): void {
    source = new EventSource(browserAddress(ADDRESS))
    source.addEventListener('open', () => {
      pause = REOPEN_MS.first
      onState('live')
      // Of what happened between an older fetch and the last minute nobody is told.
      const [now, isStart] = [Date.now(), Date.now() - begun < TOLD_MS]
      fresh.addSome(
        everything,
        ({ state }) => state.dataUpdatedAt < now - TOLD_MS && !(isStart && state.fetchStatus === 'fetching'),
      )
    })
    source.addEventListener('lead', (event) => {
      leadChanged(field(event, 'id'))
      // A lead that is let through or held again has other messages; the event does not say whose they are.
      threadChanged(undefined)
    })
    source.addEventListener('message', (event) => {
      leadChanged(field(event, 'leadId'))
      threadChanged(field(event, 'customerId'))
      // What was said of a job stands on its page, which the event does not name.
      fresh.add(jobQueries.details(orgId))
    })
    // Papers and money stand under the key of their lead, and on the pages of its jobs.
    for (const topic of ['estimate', 'invoice', 'payment']) {
      source.addEventListener(topic, (event) => {
        leadChanged(field(event, 'leadId'))
        fresh.add(jobQueries.details(orgId), invoicesKey(orgId))
      })
    }
    // What was asked and said of the work stands on the page of its job too.
    for (const topic of ['review', 'review_ask']) {
      source.addEventListener(topic, (event) => {
        leadChanged(field(event, 'leadId'))
        fresh.add(reviewsKey(orgId), jobQueries.details(orgId))
      })
    }
    source.addEventListener('customer', () => fresh.add(customersKey(orgId)))
    source.addEventListener('price', () => fresh.add(pricesKey(orgId)))
    source.addEventListener('job', (event) => {
      jobChanged(field(event, 'id'))
      leadChanged(field(event, 'leadId'))
    })
    // A crew hears so of jobs that came to it or left it.
    source.addEventListener('schedule', () => fresh.add(jobQueries.lists(orgId), jobQueries.details(orgId)))
    source.addEventListener('crew', () =>
      fresh.add(peopleQueries.crews(orgId).queryKey, jobQueries.lists(orgId), jobQueries.details(orgId)),
    )
    source.addEventListener('thread', (event) => threadChanged(field(event, 'id')))
    source.addEventListener('alert', () => fresh.add(leadQueries.alerts(orgId)))
    // What an hour is worth, and what is left of a price, stands in the settings. Nobody changes the demonstration's: there
    // it says that all of it was made anew, and that what is shown may be gone.
    source.addEventListener('settings', () =>
      inDemo() ? fresh.add(everything) : fresh.add(settingsKey, figuresKey(orgId)),
    )
    source.addEventListener('resync', () => fresh.add(everything))
    source.addEventListener('error', () => {
      onState('lost')
      // The browser tries again by itself, except after an answer that was not a stream.
      if (source?.readyState !== EventSource.CLOSED) return
      onRefused?.()
      clearTimeout(reopening)
      reopening = setTimeout(open, pause)
      pause = Math.min(pause * 2, REOPEN_MS.most)
    })
  }

  open()
  return () => {
    source?.close()
    clearTimeout(reopening)
    fresh.stop()
    onState('connecting')
  }
}
