// Server-sent events of the organization; each invalidates the queries it affects.
import type { Query, QueryClient, QueryFilters, QueryKey } from '@tanstack/react-query'
import { inboxQueries } from '@/features/inbox/queries'
import { jobQueries } from '@/features/jobs/queries'
import { leadQueries } from '@/features/leads/queries'
import { peopleQueries } from '@/features/people/queries'
import {
  customersKey,
  figuresKey,
  invoicesKey,
  pricesKey,
  providerCallsKey,
  reviewsKey,
  worklistKey,
} from '@/domain/query-keys'
import { toBrowserUrl, isDemoMode } from '@/lib/demo'
import type { LiveState } from '@/lib/live-state'

const ADDRESS = '/api/events'
const BATCH_DELAY_MS = 250
/** Topics that may begin or end somebody's wait; the last is a mark of the worklist itself. */
const WORK_TOPICS = [
  'lead',
  'message',
  'estimate',
  'invoice',
  'payment',
  'review',
  'review_request',
  'job',
  'conversation',
  'alert',
  'worklist',
] as const
const RECONNECT_DELAY_MS = { first: 2000, most: 30_000 } as const
/** The stream replays the last minute; newer data needs no refetch. */
const REPLAY_WINDOW_MS = 40_000

type LiveEventsOptions = {
  client: QueryClient
  orgId: string
  onState: (state: LiveState) => void
  /** Response without a stream: the session may have ended. */
  onRefused?: () => void
}

/** Refresh queue: one batch at a time, since overlapping refetches cancel each other. */
function createRefreshQueue(client: QueryClient) {
  const pendingFilters = new Map<string, QueryFilters>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRefreshing = false

  async function refresh(): Promise<void> {
    timer = undefined
    const batch = [...pendingFilters.values()]
    pendingFilters.clear()
    isRefreshing = true
    await Promise.all(batch.map((filters) => client.invalidateQueries(filters)))
    isRefreshing = false
    if (pendingFilters.size > 0) schedule()
  }

  function schedule(): void {
    if (timer === undefined && !isRefreshing) timer = setTimeout(() => void refresh(), BATCH_DELAY_MS)
  }

  return {
    add: (...keys: readonly QueryKey[]) => {
      for (const queryKey of keys) pendingFilters.set(JSON.stringify(queryKey), { queryKey })
      schedule()
    },
    /** Limited to queries that match `isDue`. */
    addSome: (queryKey: QueryKey, isDue: (query: Query) => boolean) => {
      const name = JSON.stringify(queryKey)
      if (pendingFilters.has(name)) return
      pendingFilters.set(name, { queryKey, predicate: isDue })
      schedule()
    },
    stop: () => {
      clearTimeout(timer)
      pendingFilters.clear()
    },
  }
}

function readEventField(event: Event, name: 'id' | 'leadId' | 'customerId'): string | undefined {
  if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return undefined
  const data: unknown = JSON.parse(event.data)
  const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Returns the unsubscribe function. */
export function subscribeLiveEvents({ client, orgId, onState, onRefused }: LiveEventsOptions): () => void {
  const fresh = createRefreshQueue(client)
  const begun = Date.now()
  const everything = ['org', orgId] as const
  const settingsKey = [...everything, 'settings'] as const
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  let pause: number = RECONNECT_DELAY_MS.first

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

  /** Without a customer id any conversation may be affected: mounted ones are refetched, others on mount. */
  const conversationChanged = (customerId: string | undefined) => {
    fresh.add(
      inboxQueries.lists(orgId),
      customerId === undefined
        ? inboxQueries.conversations(orgId)
        : inboxQueries.conversation(orgId, customerId).queryKey,
      customersKey(orgId),
    )
  }

  function open(): void {
    source = new EventSource(toBrowserUrl(ADDRESS))
    source.addEventListener('open', () => {
      pause = RECONNECT_DELAY_MS.first
      onState('live')
      // Events between an older fetch and the replay window are lost.
      const [now, isStart] = [Date.now(), Date.now() - begun < REPLAY_WINDOW_MS]
      fresh.addSome(
        everything,
        ({ state }) => state.dataUpdatedAt < now - REPLAY_WINDOW_MS && !(isStart && state.fetchStatus === 'fetching'),
      )
    })
    source.addEventListener('lead', (event) => {
      leadChanged(readEventField(event, 'id'))
      // Holding or releasing a lead changes messages; the event names no conversation.
      conversationChanged(undefined)
    })
    source.addEventListener('message', (event) => {
      leadChanged(readEventField(event, 'leadId'))
      conversationChanged(readEventField(event, 'customerId'))
      // The event does not name the job.
      fresh.add(jobQueries.details(orgId))
    })
    // Documents and money are cached under their lead and on its jobs.
    for (const topic of ['estimate', 'invoice', 'payment']) {
      source.addEventListener(topic, (event) => {
        leadChanged(readEventField(event, 'leadId'))
        fresh.add(jobQueries.details(orgId), invoicesKey(orgId))
      })
    }
    // Reviews also show on the job.
    for (const topic of ['review', 'review_request']) {
      source.addEventListener(topic, (event) => {
        leadChanged(readEventField(event, 'leadId'))
        fresh.add(reviewsKey(orgId), jobQueries.details(orgId))
      })
    }
    source.addEventListener('customer', () => fresh.add(customersKey(orgId)))
    source.addEventListener('provider_call', () => fresh.add(providerCallsKey(orgId)))
    source.addEventListener('price', () => fresh.add(pricesKey(orgId)))
    source.addEventListener('job', (event) => {
      jobChanged(readEventField(event, 'id'))
      leadChanged(readEventField(event, 'leadId'))
    })
    // Sent to crews when a job is assigned or unassigned.
    source.addEventListener('schedule', () => fresh.add(jobQueries.lists(orgId), jobQueries.details(orgId)))
    source.addEventListener('crew', () =>
      fresh.add(peopleQueries.crews(orgId).queryKey, jobQueries.lists(orgId), jobQueries.details(orgId)),
    )
    source.addEventListener('conversation', (event) => conversationChanged(readEventField(event, 'id')))
    source.addEventListener('alert', () => fresh.add(leadQueries.alerts(orgId)))
    for (const topic of WORK_TOPICS) source.addEventListener(topic, () => fresh.add(worklistKey(orgId)))
    // Settings change the figures. In the demonstration they mean that all data was recreated.
    source.addEventListener('settings', () =>
      isDemoMode() ? fresh.add(everything) : fresh.add(settingsKey, figuresKey(orgId)),
    )
    source.addEventListener('resync', () => fresh.add(everything))
    source.addEventListener('error', () => {
      onState('lost')
      // EventSource reconnects by itself, except after a non-stream response.
      if (source?.readyState !== EventSource.CLOSED) return
      onRefused?.()
      clearTimeout(reopening)
      reopening = setTimeout(open, pause)
      pause = Math.min(pause * 2, RECONNECT_DELAY_MS.most)
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
