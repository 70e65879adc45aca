// Persistence of the query cache.
import type { PersistedClient } from '@tanstack/react-query-persist-client'
import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister'
import type { CurrentUser } from '@/api/client'
import { currentUserKey } from '@/api/current-user-key'
import { deviceStore } from './device-store'

/** Raise when the stored shape changes: older data is dropped. */
export const SCHEMA_VERSION = '6'
export const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000

const ME_HASH = JSON.stringify(currentUserKey)

type KeepableQuery = { meta?: Record<string, unknown> | undefined; state: { data: unknown } }
type SerializedClient = { owner: string | null; value: string }

/** Marked queries with data; data with a failed refresh is kept. */
export function shouldPersistQuery(query: KeepableQuery): boolean {
  return query.meta?.['offline'] === true && query.state.data !== undefined && query.state.data !== null
}

/** Without failed and pending states. */
function toSettledClient(client: PersistedClient): PersistedClient {
  const queries = client.clientState.queries.map(({ promise: _unkeepable, ...query }) => ({
    ...query,
    state: {
      ...query.state,
      status: 'success' as const,
      fetchStatus: 'idle' as const,
      error: null,
      fetchFailureCount: 0,
      fetchFailureReason: null,
    },
  }))
  return { ...client, clientState: { mutations: [], queries } }
}

function getClientOwner(client: PersistedClient): string | null {
  const me = client.clientState.queries.find(({ queryHash }) => queryHash === ME_HASH)?.state.data as
    | CurrentUser
    | undefined
  return me ? `${me.orgId}:${me.id}` : null
}

/** Newest unsaved state. */
let pendingClient: PersistedClient | undefined

function toText(client: PersistedClient): string {
  if (client === pendingClient) pendingClient = undefined
  return JSON.stringify({
    owner: getClientOwner(client),
    value: JSON.stringify(toSettledClient(client)),
  } satisfies SerializedClient)
}

async function write(key: string, text: string): Promise<void> {
  const { owner, value } = JSON.parse(text) as SerializedClient
  // Visitors neither store nor delete.
  if (owner !== null) await deviceStore.write(owner, key, value)
}

let lastWrite: Promise<unknown> = Promise.resolve()

const storage = {
  getItem: async (key: string) => (await deviceStore.read(key)) ?? null,
  // Sequential: encryption times vary.
  setItem: (key: string, text: string) => {
    const written = lastWrite.then(() => write(key, text))
    lastWrite = written.catch(() => undefined)
    return written
  },
  removeItem: () => deviceStore.forget(),
}

const CACHE_KEY = 'cache'
const throttled = createAsyncStoragePersister({ storage, key: CACHE_KEY, serialize: toText, throttleTime: 300 })

/** Flushes the throttled save when the page closes. */
async function saveNow(): Promise<void> {
  if (pendingClient) await storage.setItem(CACHE_KEY, toText(pendingClient))
}

function getLastTypedAt(client: PersistedClient): number {
  const typed = client.clientState.queries.filter(({ meta }) => meta?.isTyped === true)
  return Math.max(0, ...typed.map(({ state }) => state.dataUpdatedAt))
}

let lastTypedAt = 0

/** At most three saves a second; user input at once, since a closing page has no time to encrypt. */
export const persister: typeof throttled = {
  ...throttled,
  persistClient: async (client) => {
    pendingClient = client
    const at = getLastTypedAt(client)
    const isTyped = at !== lastTypedAt
    lastTypedAt = at
    // User input too: the throttle saves what it was given last, and an older state would overwrite the input.
    const saved = throttled.persistClient(client)
    if (isTyped) await saveNow()
    await saved
  },
}

const onLeave = () => void saveNow()

const onHide = () => {
  // Phones may kill hidden pages.
  if (document.visibilityState === 'hidden') void saveNow()
}

/** Returns the stop function. */
export function startSaveOnLeave(): () => void {
  document.addEventListener('visibilitychange', onHide)
  globalThis.addEventListener('pagehide', onLeave)
  return () => {
    document.removeEventListener('visibilitychange', onHide)
    globalThis.removeEventListener('pagehide', onLeave)
  }
}
