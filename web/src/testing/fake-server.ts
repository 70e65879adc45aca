// In-memory server in place of fetch, with all requests recorded.
import { vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildTextingRegistration, NUMBER_OFFER } from './number-setup'
import { buildSubscription } from './subscription-builders'

type FakeResponse = { status?: number; body?: unknown; headers?: Record<string, string> }
type Handler = (request: Request, url: URL) => FakeResponse | Promise<FakeResponse>

export type FakeServer = {
  /** `on('GET', '/api/auth/me', …)`; the path may be a pattern. */
  on: (method: string, path: string | RegExp, handler: Handler | FakeResponse) => void
  /** Oldest first. */
  requests: Request[]
  goOffline: () => void
  goOnline: () => void
}

function toResponse({ status = 200, body, headers = {} }: FakeResponse): Response {
  if (body === undefined) return new Response(null, { status, headers })
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': type, ...headers } })
}

export function buildProblemResponse(problem: Schema['Problem'], headers: Record<string, string> = {}): FakeResponse {
  return { status: problem.status, body: problem, headers }
}

/** As the server: non-JSON changes need the client header. */
function hasClientHeader({ method, headers }: Request): boolean {
  return (
    method === 'GET' ||
    headers.has('X-Toolbox-Client') ||
    (headers.get('Content-Type') ?? '').startsWith('application/json')
  )
}

type Route = { method: string; path: string | RegExp; handler: Handler }

/** Deterministic keys per user. */
async function answerStoreKeys(routes: readonly Route[], request: Request, url: URL): Promise<FakeResponse> {
  const me = await routes
    .findLast(({ method, path }) => method === 'GET' && path === '/api/auth/me')
    ?.handler(request, url)
  if (!me || (me.status ?? 200) !== 200)
    return { status: 401, body: { title: 'Unauthorized', status: 401, code: 'unauthenticated' } }
  const { id, orgId } = me.body as { id: string; orgId: string }
  const key = (purpose: string) => btoa(`${purpose}${orgId}${id}`.padEnd(32, '.').slice(-32))
  return {
    body: {
      orgId,
      accountId: id,
      storeKey: key('store'),
      unsentKey: key('unsent'),
      leaseSeconds: 12 * 60 * 60,
    } satisfies Schema['OfflineKeys'],
  }
}

const TRUSTED: Schema['TrustView'] = {
  level: 'trusted',
  steps: [],
  next: null,
  budgets: [],
  takesMoney: false,
  mailLeaves: true,
}

/** A business that can text. */
const OWN_NUMBER: Schema['SendingNumber'] = {
  isSetUp: true,
  why: null,
  number: '+15125550100',
  assignedBy: 'operator',
  assignedAt: '2026-11-01T16:00:00.000Z',
  others: [],
  sharesService: false,
  unsentTexts: 0,
  claim: null,
}

/** Replaces `fetch` until the test ends. Unknown requests fail the test. */
export function startFakeServer(): FakeServer {
  // Default answers of every staff screen, and of the sign-in.
  const routes: Route[] = [
    { method: 'GET', path: /^\/api\/subscription\/[^/]+$/, handler: () => ({ body: buildSubscription() }) },
    { method: 'GET', path: '/api/worklist', handler: () => ({ body: [] }) },
    {
      method: 'GET',
      path: '/api/worklist/count',
      handler: () => ({ body: { waiting: 0, late: 0, isCapped: false } satisfies Schema['WorklistCount'] }),
    },
    { method: 'GET', path: '/api/setup', handler: () => ({ body: [] }) },
    { method: 'GET', path: '/api/team', handler: () => ({ body: [] }) },
    {
      method: 'GET',
      path: '/api/auth/registration',
      handler: () => ({ body: { mode: 'open', notice: null, hasDemo: true } satisfies Schema['RegistrationInfo'] }),
    },
    { method: 'GET', path: '/api/trust', handler: () => ({ body: TRUSTED }) },
    { method: 'GET', path: '/api/sending-number', handler: () => ({ body: OWN_NUMBER }) },
    { method: 'GET', path: '/api/sending-number/offer', handler: () => ({ body: NUMBER_OFFER }) },
    { method: 'GET', path: '/api/texting-registration', handler: () => ({ body: buildTextingRegistration() }) },
    { method: 'GET', path: '/api/crews', handler: () => ({ body: [] }) },
    { method: 'GET', path: '/api/outbox', handler: () => ({ body: { frozen: null } }) },
    { method: 'GET', path: '/api/customers/imports', handler: () => ({ body: [] }) },
    { method: 'GET', path: '/api/retention', handler: () => ({ body: { periods: [], nights: [] } }) },
  ]
  const requests: Request[] = []
  /** Keys of the offline store, not recorded. */
  const KEYS = '/api/account/offline-keys'
  let isOffline = false
  const fakeFetch = async (input: Request): Promise<Response> => {
    const url = new URL(input.url)
    const isOwn = routes.some(({ path }) => path === KEYS)
    if (url.pathname !== KEYS || isOwn) requests.push(input.clone())
    if (isOffline) throw new TypeError('Failed to fetch')
    if (url.pathname === KEYS && !isOwn) return toResponse(await answerStoreKeys(routes, input, url))
    const route = routes.findLast(
      ({ method, path }) =>
        method === input.method && (typeof path === 'string' ? path === url.pathname : path.test(url.pathname)),
    )
    if (!hasClientHeader(input))
      throw new Error(
        `The real server would refuse ${input.method} ${url.pathname}: it is no JSON and does not say that the app sends it`,
      )
    if (!route) throw new Error(`The fake server has no ${input.method} ${url.pathname}`)
    return toResponse(await route.handler(input, url))
  }
  vi.stubGlobal('fetch', fakeFetch)
  return {
    requests,
    on: (method, path, handler) => {
      routes.push({ method, path, handler: typeof handler === 'function' ? handler : () => handler })
    },
    goOffline: () => {
      isOffline = true
    },
    goOnline: () => {
      isOffline = false
    },
  }
}
