// How the query cache goes to the device and comes back.
import type { PersistedClient } from '@tanstack/react-query-persist-client'
import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister'
import type { CurrentUser } from '@/api/client'
import { meKey } from '@/api/me-key'
import { deviceStore } from './device-store'

/** Raised when what is kept changes its shape: older data is dropped then. */
export const SCHEMA_VERSION = '5'
export const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000

const ME_HASH = JSON.stringify(meKey)

type KeepableQuery = { meta?: Record<string, unknown> | undefined; state: { data: unknown } }
type Saved = { owner: string | null; value: string }

/** Only what is marked, and only what is there: data whose last refresh failed is still the best there is. */
export function isKept(query: KeepableQuery): boolean {
  return query.meta?.['offline'] === true && query.state.data !== undefined && query.state.data !== null
}

/** A failed refresh or one under way is not the next start's matter. */
function settled(client: PersistedClient): PersistedClient {
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

function ownerOf(client: PersistedClient): string | null {
  const me = client.clientState.queries.find(({ queryHash }) => queryHash === ME_HASH)?.state.data as
    | CurrentUser
    | undefined
  return me ? `${me.orgId}:${me.id}` : null
}

/** The newest state that no save has taken up yet. */
let unsaved: PersistedClient | undefined

function toText(client: PersistedClient): string {
  if (client === unsaved) unsaved = undefined
  return JSON.stringify({ owner: ownerOf(client), value: JSON.stringify(settled(client)) } satisfies Saved)
}

async function write(key: string, text: string): Promise<void> {
  const { owner, value } = JSON.parse(text) as Saved
  // A visitor's page has nothing to keep, and takes nothing away.
  if (owner !== null) await deviceStore.write(owner, key, value)
}

let lastWrite: Promise<unknown> = Promise.resolve()

const storage = {
  getItem: async (key: string) => (await deviceStore.read(key)) ?? null,
  // One after the other: encryption of an older state may take longer than that of a newer one.
  setItem: (key: string, text: string) => {
    const written = lastWrite.then(() => write(key, text))
    lastWrite = written.catch(() => undefined)
    return written
  },
  removeItem: () => deviceStore.forget(),
}

const KEY = 'cache'
const throttled = createAsyncStoragePersister({ storage, key: KEY, serialize: toText, throttleTime: 300 })

/** Saves now what waits for the next second: a page that goes away has none. */
async function saveNow(): Promise<void> {
  if (unsaved) await storage.setItem(KEY, toText(unsaved))
}

/** When what a person typed last changed. */
function typedAt(client: PersistedClient): number {
  const typed = client.clientState.queries.filter(({ meta }) => meta?.isTyped === true)
  return Math.max(0, ...typed.map(({ state }) => state.dataUpdatedAt))
}

let lastTyped = 0

/** Saves at most three times a second, and what a person typed at once: a page that is being left has no time to encrypt. */
export const persister: typeof throttled = {
  ...throttled,
  persistClient: async (client) => {
    unsaved = client
    const at = typedAt(client)
    if (at === lastTyped) return throttled.persistClient(client)
    lastTyped = at
    return saveNow()
  },
}

const onLeave = () => void saveNow()

const onHide = () => {
  // A phone may end a hidden page without another word.
  if (document.visibilityState === 'hidden') void saveNow()
}

/** From now on a page that is hidden or left saves first. Gives the function that ends it. */
export function saveOnLeave(): () => void {
  document.addEventListener('visibilitychange', onHide)
  globalThis.addEventListener('pagehide', onLeave)
  return () => {
    document.removeEventListener('visibilitychange', onHide)
    globalThis.removeEventListener('pagehide', onLeave)
  }
}
