// One outbox request and its result. Also used by the service worker.
import { getClientHeaders } from '@/api/client-headers'
import { isOfficeCommand, type OfficeCommand, type OutboxCommand, type OutboxEntry } from './entry'

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
const NO_CONTENT = 204
/** The server takes no shorter snooze. */
const MIN_SNOOZE_MS = 60_000
/** Stored as they are; `describeRefusal` has them in the person's language. */
export const DEFAULT_REFUSAL = 'The server did not take this.'
export const RECORD_GONE = 'This no longer exists.'
/** Crew members cannot see other crews' jobs. */
export const JOB_NOT_ASSIGNED = 'This job is no longer assigned to your crew. Tell the office.'

function toJson(path: string, method: 'POST' | 'PATCH' | 'PUT', key: string, body: unknown): Request {
  const headers = {
    ...getClientHeaders(),
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
    headers: { ...getClientHeaders(), Accept: 'application/json', 'Idempotency-Key': key },
    body,
    credentials: 'same-origin',
  })
}

function officeRequestOf(subject: string, key: string, command: OfficeCommand): Request {
  const id = encodeURIComponent(subject)
  switch (command.kind) {
    case 'message':
      return toJson(`/api/customers/${id}/messages`, 'POST', key, command.message)
    case 'lead_stage':
      return toJson(`/api/leads/${id}/stage`, 'POST', key, {
        stage: command.to,
        ...(command.reason === undefined ? {} : { reason: command.reason }),
      })
    case 'lead_owner':
      return toJson(`/api/leads/${id}/owner`, 'PUT', key, { ownerUserId: command.to?.id ?? null })
    case 'customer':
      return toJson(`/api/customers/${id}`, 'PATCH', key, command.change)
    case 'property': {
      const places = `/api/customers/${id}/properties`
      return command.propertyId === undefined
        ? toJson(places, 'POST', key, command.change)
        : toJson(`${places}/${encodeURIComponent(command.propertyId)}`, 'PATCH', key, command.change)
    }
    case 'review_reply':
      return toJson(`/api/reviews/${id}/reply`, 'POST', key, { text: command.text })
    case 'work_done':
      return toJson(`/api/worklist/${id}/done`, 'POST', key, { since: command.since })
    case 'work_snooze':
      return toJson(`/api/worklist/${id}/snooze`, 'POST', key, { since: command.since, until: command.until })
    case 'work_assign':
      return toJson(`/api/worklist/${id}/assign`, 'POST', key, { accountId: command.to?.id ?? null })
  }
}

function requestOf(entry: OutboxEntry, photo: ArrayBuffer | undefined): Request {
  const { key, command, happenedAt } = entry
  if (isOfficeCommand(command)) return officeRequestOf(entry.jobId, key, command)
  const job = `/api/jobs/${encodeURIComponent(entry.jobId)}`
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

/** `missing`: the reason of a 404; null where nothing is left to do then. */
async function readAnswer(answer: Response, missing: string | null): Promise<SendOutcome> {
  const { status } = answer
  if (status === NO_CONTENT) return { kind: 'sent', answer: undefined }
  // HTML response of a captive portal.
  if (!isJson(answer)) return { kind: 'later', afterMs: 0 }
  if (answer.ok) return { kind: 'sent', answer: (await answer.json()) as unknown }
  if (status === 401) return { kind: 'signed-out' }
  const isBusy = status === REQUEST_TIMEOUT || status === TOO_MANY || (status >= 500 && status !== STORAGE_FULL)
  if (isBusy) return { kind: 'later', afterMs: Number(answer.headers.get('Retry-After') ?? 0) * 1000 || 0 }
  if (status !== NOT_FOUND) return { kind: 'refused', why: readRefusal(await answer.json()) }
  return missing === null ? { kind: 'sent', answer: undefined } : { kind: 'refused', why: missing }
}

async function sendRequest(request: Request, missing: string | null = RECORD_GONE): Promise<SendOutcome> {
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

function describeMissing(command: OutboxCommand): string | null {
  // Nobody waits there any more.
  if (command.kind === 'work_done' || command.kind === 'work_snooze') return null
  return isOfficeCommand(command) ? RECORD_GONE : JOB_NOT_ASSIGNED
}

/** A snooze that is over hides nothing. */
function isOver({ command }: OutboxEntry): boolean {
  return command.kind === 'work_snooze' && Date.parse(command.until) - Date.now() < MIN_SNOOZE_MS
}

export async function sendEntry(entry: OutboxEntry, photo: ArrayBuffer | undefined): Promise<SendOutcome> {
  if (isOver(entry)) return { kind: 'sent', answer: undefined }
  return sendRequest(requestOf(entry, photo), describeMissing(entry.command))
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
