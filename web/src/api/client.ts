// The only way to the server: a client typed by the generated schema, and errors as one class.
import createClient from 'openapi-fetch'
import { inDemo } from '@/lib/demo'
import { OURS } from './ours'
import { fetchProven } from './proven'
import type { components, paths } from './schema'

/** The generated schemas by name: `Schema['LeadSummary']`. */
export type Schema = components['schemas']
export type CurrentUser = Schema['CurrentUser']
export type ErrorCode = Schema['ErrorCode']

type Ask = (request: Request) => Promise<Response>

let throughWall: Ask = () => Promise.reject(new Error('The demonstration asks nothing before its wall stands'))

/** From now on the demonstration's requests go by this wall (demo-wall.ts), which comes with its screens. */
export function raiseWall(ask: Ask): void {
  throughWall = ask
}

/** Fetch is looked up at call time, so that a test can put its own in place. */
export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: 'same-origin',
  headers: OURS,
  fetch: (request) => (inDemo() ? throughWall(request) : fetchProven(request)),
})

type ApiErrorParts = {
  status: number
  detail: string
  code?: ErrorCode
  errors?: Readonly<Record<string, string>>
  requestId?: string
  retryAfterSeconds?: number
}

/** An answer that was not a success. Its message is `<status>: <detail>`. */
export class ApiError extends Error {
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode | undefined
  readonly errors: Readonly<Record<string, string>>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(parts: ApiErrorParts) {
    super(`${parts.status}: ${parts.detail}`)
    this.name = 'ApiError'
    this.status = parts.status
    this.detail = parts.detail
    this.code = parts.code
    this.errors = parts.errors ?? {}
    this.requestId = parts.requestId
    this.retryAfterSeconds = parts.retryAfterSeconds
  }
}

/** The server could not be reached at all. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached', { cause })
    this.name = 'NetworkError'
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The answer's data, or an ApiError, or a NetworkError. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  return (await unwrapWithResponse(call)).data
}

/** As `unwrap`, with the response beside the data for its headers. */
export async function unwrapWithResponse<T>(call: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new NetworkError(cause)
  }
  if (!answer.response.ok) throw toApiError(answer.response, answer.error)
  // A 204 has no data, and its caller's T says so.
  return { data: answer.data as T, response: answer.response }
}

/** Reads a problem document; anything else still becomes an error that says the status. */
export function toApiError(response: Response, body: unknown): ApiError {
  const problem: Partial<Schema['Problem']> = typeof body === 'object' && body !== null ? body : {}
  const retryAfter = Number(response.headers.get('Retry-After'))
  return new ApiError({
    status: response.status,
    detail: problem.detail ?? (typeof body === 'string' && body !== '' ? body : response.statusText),
    ...(problem.code ? { code: problem.code } : {}),
    ...(problem.errors ? { errors: problem.errors } : {}),
    ...(problem.requestId ? { requestId: problem.requestId } : {}),
    ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
  })
}
