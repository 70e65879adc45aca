// One outbox request and its result. Also used by the service worker.
import { CLIENT_HEADERS } from '@/api/client-headers'
import type { OutboxEntry } from './entry'

export type SendOutcome =
  | { kind: 'sent'; answer: unknown }
  /** Server unreachable. */
  | { kind: 'offline' }
  /** Server busy. */
  | { kind: 'later'; afterMs: number }
  | { kind: 'refused'; why: string }
  | { kind: 'signed-out' }

const REQUEST_TIMEOUT = 408
const TOO_MANY = 429
const STORAGE_FULL = 507
const NOT_FOUND = 404
const DEFAULT_REFUSAL = 'The server did not take this.'
const RECORD_GONE = 'This no longer exists.'
/** Crew members cannot see other crews' jobs. */
const JOB_NOT_ASSIGNED = 'This job is no longer assigned to your crew. Tell the office.'

function toJson(path: string, method: 'POST' | 'PATCH', key: string, body: unknown): Request {
  const headers = {
    ...CLIENT_HEADERS,
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'Idempotency-Key': key,
  }
  return new Request(new URL(path, globalThis.location.origin), {
    method,
    headers,
    body: JSON.stringify(body),
    credentials: 'same-origin',
  })
}

function photoRequest(path: string, { key, command }: OutboxEntry, bytes: ArrayBuffer): Request {
  if (command.kind !== 'photo') throw new Error('Only a photo is sent as a file')
  const body = new FormData()
  body.append('moment', command.moment)
  body.append('takenAt', command.takenAt)
  if (command.caption) body.append('caption', command.caption)
  // A discarded original is unknown to the server.
  if (command.copyOf && 'fileId' in command.copyOf) body.append('madeFrom', command.copyOf.fileId)
  body.append('files', new Blob([bytes], { type: command.type }), command.name)
  return new Request(new URL(path, globalThis.location.origin), {
    method: 'POST',
    headers: { ...CLIENT_HEADERS, Accept: 'application/json', 'Idempotency-Key': key },
    body,
    credentials: 'same-origin',
  })
}

function requestOf(entry: OutboxEntry, photo: ArrayBuffer | undefined): Request {
  const { key, command, happenedAt } = entry
  const id = encodeURIComponent(entry.jobId)
  const job = `/api/jobs/${id}`
  switch (command.kind) {
    case 'status':
      return toJson(`${job}/status`, 'POST', key, { to: command.to, happenedAt })
    case 'on_my_way':
      return toJson(`${job}/on-my-way`, 'POST', key, { etaMinutes: command.etaMinutes, happenedAt })
    case 'late':
      return toJson(`${job}/late`, 'POST', key, { minutes: command.minutes, happenedAt })
    case 'note':
      return toJson(`${job}/notes`, 'POST', key, { body: command.body, happenedAt })
    case 'check':
      return toJson(`${job}/checklist/${encodeURIComponent(command.checkId)}`, 'PATCH', key, {
        done: command.done,
        chosenAt: happenedAt,
      })
    case 'photo':
      return photoRequest(`${job}/files`, entry, photo ?? new ArrayBuffer(0))
    case 'message':
      return toJson(`/api/customers/${id}/messages`, 'POST', key, command.message)
    case 'lead_stage':
      return toJson(`/api/leads/${id}/stage`, 'POST', key, {
        stage: command.to,
        ...(command.reason === undefined ? {} : { reason: command.reason }),
      })
    case 'customer':
      return toJson(`/api/customers/${id}`, 'PATCH', key, command.change)
  }
}

/** Field error first, else the detail. */
function readRefusal(problem: unknown): string {
  if (typeof problem !== 'object' || problem === null) return DEFAULT_REFUSAL
  const { detail, errors } = problem as { detail?: unknown; errors?: unknown }
  const [ofField] = typeof errors === 'object' && errors !== null ? Object.values(errors) : []
  const sentence = typeof ofField === 'string' ? ofField : detail
  return typeof sentence === 'string' && sentence !== '' ? sentence : DEFAULT_REFUSAL
}

const isJson = (answer: Response) => /\bjson\b/.test(answer.headers.get('Content-Type') ?? '')

async function readAnswer(answer: Response, missing: string): Promise<SendOutcome> {
  const { status } = answer
  // HTML response of a captive portal.
  if (!isJson(answer)) return { kind: 'later', afterMs: 0 }
  if (answer.ok) return { kind: 'sent', answer: (await answer.json()) as unknown }
  if (status === 401) return { kind: 'signed-out' }
  const isBusy = status === REQUEST_TIMEOUT || status === TOO_MANY || (status >= 500 && status !== STORAGE_FULL)
  if (isBusy) return { kind: 'later', afterMs: Number(answer.headers.get('Retry-After') ?? 0) * 1000 || 0 }
  return { kind: 'refused', why: status === NOT_FOUND ? missing : readRefusal(await answer.json()) }
}

async function sendRequest(request: Request, missing = RECORD_GONE): Promise<SendOutcome> {
  try {
    return await readAnswer(await globalThis.fetch(request), missing)
  } catch (error) {
    // Connection lost; the idempotency key makes a retry safe.
    if (error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError)
      return { kind: 'offline' }
    throw error
  }
}

export function getSentFileId({ command }: OutboxEntry, answer: unknown): string | undefined {
  const first: unknown = command.kind === 'photo' && Array.isArray(answer) ? answer[0] : undefined
  return typeof first === 'object' && first !== null && 'id' in first && typeof first.id === 'string'
    ? first.id
    : undefined
}

export function sendEntry(entry: OutboxEntry, photo: ArrayBuffer | undefined): Promise<SendOutcome> {
  const { kind } = entry.command
  const isOfJob = kind !== 'message' && kind !== 'lead_stage' && kind !== 'customer'
  return sendRequest(requestOf(entry, photo), isOfJob ? JOB_NOT_ASSIGNED : RECORD_GONE)
}

/** `<org>:<account>` of the session. */
export async function fetchSessionOwner(): Promise<
  { kind: 'known'; owner: string } | Exclude<SendOutcome, { kind: 'sent' }>
> {
  const outcome = await sendRequest(
    new Request(new URL('/api/auth/me', globalThis.location.origin), {
      headers: { Accept: 'application/json' },
      credentials: 'same-origin',
    }),
  )
  if (outcome.kind !== 'sent') return outcome
  const { id, orgId } = outcome.answer as { id: string; orgId: string }
  return { kind: 'known', owner: `${orgId}:${id}` }
}
