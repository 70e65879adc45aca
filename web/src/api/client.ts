// HTTP client typed by the generated schema, with one error class.
import createClient from 'openapi-fetch'
import { isDemoMode } from '@/lib/demo'
import { getClientHeaders } from './client-headers'
import { fetchWithReauth } from './reauth-fetch'
import type { components, paths } from './schema'

/** Generated schema by name: `Schema['LeadSummary']`. */
export type Schema = components['schemas']
export type CurrentUser = Schema['CurrentUser']
export type ErrorCode = Schema['ErrorCode']
type ConflictCode = Schema['ConflictCode']

type FetchFn = (request: Request) => Promise<Response>

let demoFetch: FetchFn = () => Promise.reject(new Error('The demonstration sends no request before it is ready'))

/** Sets the fetch of the demonstration (demo-guard.ts), which is loaded with its screens. */
export function installDemoGuard(ask: FetchFn): void {
  demoFetch = ask
}

/** Looked up per call so that tests can replace it. */
export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: 'same-origin',
  headers: getClientHeaders(),
  fetch: (request) => (isDemoMode() ? demoFetch(request) : fetchWithReauth(request)),
})

type ApiErrorParts = {
  status: number
  detail: string
  code?: ErrorCode
  reason?: ConflictCode
  errors?: Readonly<Record<string, string>>
  requestId?: string
  retryAfterSeconds?: number
}

/** Unsuccessful response. Message: `<status>: <detail>`. */
export class ApiError extends Error {
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode | undefined
  /** Why the present state does not allow it. */
  readonly reason: ConflictCode | undefined
  readonly errors: Readonly<Record<string, string>>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(parts: ApiErrorParts) {
    super(`${parts.status}: ${parts.detail}`)
    this.name = 'ApiError'
    this.status = parts.status
    this.detail = parts.detail
    this.code = parts.code
    this.reason = parts.reason
    this.errors = parts.errors ?? {}
    this.requestId = parts.requestId
    this.retryAfterSeconds = parts.retryAfterSeconds
  }
}

/** Server unreachable. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached', { cause })
    this.name = 'NetworkError'
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response }

export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  return (await unwrapWithResponse(call)).data
}

/** As `unwrap`, with the response for its headers. */
export async function unwrapWithResponse<T>(call: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new NetworkError(cause)
  }
  if (!answer.response.ok) throw toApiError(answer.response, answer.error)
  // A 204 has no data; the caller's T allows that.
  return { data: answer.data as T, response: answer.response }
}

/** Error from a problem document, or from the status alone. */
export function toApiError(response: Response, body: unknown): ApiError {
  const problem: Partial<Schema['Problem']> = typeof body === 'object' && body !== null ? body : {}
  const retryAfter = Number(response.headers.get('Retry-After'))
  return new ApiError({
    status: response.status,
    detail: problem.detail ?? (typeof body === 'string' && body !== '' ? body : response.statusText),
    ...(problem.code ? { code: problem.code } : {}),
    ...(problem.reason ? { reason: problem.reason } : {}),
    ...(problem.errors ? { errors: problem.errors } : {}),
    ...(problem.requestId ? { requestId: problem.requestId } : {}),
    ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
  })
}
