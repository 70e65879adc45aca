// A server in memory, in place of fetch: routes by "METHOD /path", every request remembered.
import { vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildSubscription } from './subscription-builders'

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }
type Handler = (request: Request, url: URL) => Answer | Promise<Answer>

export type FakeServer = {
  /** `on('GET', '/api/auth/me', …)`; the path may be a pattern. */
  on: (method: string, path: string | RegExp, handler: Handler | Answer) => void
  /** Requests received, oldest first. */
  requests: Request[]
  /** From now on no request gets through. */
  goOffline: () => void
  goOnline: () => void
}

function toResponse({ status = 200, body, headers = {} }: Answer): Response {
  if (body === undefined) return new Response(null, { status, headers })
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': type, ...headers } })
}

/** Answers a problem document. */
export function problemAnswer(problem: Schema['Problem'], headers: Record<string, string> = {}): Answer {
  return { status: problem.status, body: problem, headers }
}

/** As the real one: what changes something and is no JSON must carry the app's sign, whoever sends it. */
function isOurs({ method, headers }: Request): boolean {
  return (
    method === 'GET' ||
    headers.has('X-Toolbox-Client') ||
    (headers.get('Content-Type') ?? '').startsWith('application/json')
  )
}

type Route = { method: string; path: string | RegExp; handler: Handler }

/** Keys made of who is signed in: the same person gets the same again. */
async function keysOf(routes: readonly Route[], request: Request, url: URL): Promise<Answer> {
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

/** Stands in for `fetch` until the test ends. A request no route knows fails the test loudly. */
export function startFakeServer(): FakeServer {
  // What every staff screen asks: all is as usual, unless a test says otherwise.
  const routes: Route[] = [
    { method: 'GET', path: /^\/api\/subscription\/[^/]+$/, handler: () => ({ body: buildSubscription() }) },
    { method: 'GET', path: '/api/team', handler: () => ({ body: [] }) },
    { method: 'GET', path: '/api/outbox', handler: () => ({ body: { frozen: null } }) },
    { method: 'GET', path: '/api/customers/imports', handler: () => ({ body: [] }) },
    { method: 'GET', path: '/api/retention', handler: () => ({ body: { periods: [], nights: [] } }) },
  ]
  const requests: Request[] = []
  /** Whoever is signed in gets the keys of their offline store; asked for by the way, so not among the requests. */
  const KEYS = '/api/account/offline-keys'
  let isOffline = false
  const fakeFetch = async (input: Request): Promise<Response> => {
    const url = new URL(input.url)
    const isOwn = routes.some(({ path }) => path === KEYS)
    if (url.pathname !== KEYS || isOwn) requests.push(input.clone())
    if (isOffline) throw new TypeError('Failed to fetch')
    if (url.pathname === KEYS && !isOwn) return toResponse(await keysOf(routes, input, url))
    const route = routes.findLast(
      ({ method, path }) =>
        method === input.method && (typeof path === 'string' ? path === url.pathname : path.test(url.pathname)),
    )
    if (!isOurs(input))
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
