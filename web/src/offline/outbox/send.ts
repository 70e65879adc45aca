// One entry on its way to the server, and what its answer means. Also run by the service worker, with the app closed.
import { OURS } from '@/api/ours'
import type { Entry } from './entry'

export type Outcome =
  | { kind: 'sent'; answer: unknown }
  /** There is no way to the server at all. */
  | { kind: 'offline' }
  /** The server is there and cannot take it now. */
  | { kind: 'later'; afterMs: number }
  | { kind: 'refused'; why: string }
  | { kind: 'signed-out' }

const REQUEST_TIMEOUT = 408
const TOO_MANY = 429
const STORAGE_FULL = 507
const NOT_FOUND = 404
/** What the server says when it says nothing a person could use. */
const SILENT = 'The server did not take this.'
/** Somebody of a crew does not see the jobs of others. */
const NOT_YOURS = 'This job is not with your crew any more. Tell the office.'

function toJson(path: string, method: 'POST' | 'PATCH', key: string, body: unknown): Request {
  const headers = { ...OURS, 'Content-Type': 'application/json', Accept: 'application/json', 'Idempotency-Key': key }
  return new Request(new URL(path, globalThis.location.origin), {
    method,
    headers,
    body: JSON.stringify(body),
    credentials: 'same-origin',
  })
}

function photoRequest(path: string, { key, command }: Entry, bytes: ArrayBuffer): Request {
  if (command.kind !== 'photo') throw new Error('Only a photo is sent as a file')
  const body = new FormData()
  body.append('moment', command.moment)
  body.append('takenAt', command.takenAt)
  if (command.caption) body.append('caption', command.caption)
  // An original that was discarded, or refused, is none to the server.
  if (command.copyOf && 'fileId' in command.copyOf) body.append('madeFrom', command.copyOf.fileId)
  body.append('files', new Blob([bytes], { type: command.type }), command.name)
  return new Request(new URL(path, globalThis.location.origin), {
    method: 'POST',
    headers: { ...OURS, Accept: 'application/json', 'Idempotency-Key': key },
    body,
    credentials: 'same-origin',
  })
}

function requestOf(entry: Entry, photo: ArrayBuffer | undefined): Request {
  const { key, command, happenedAt } = entry
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

/** The sentence of a problem document: that of a field where there is one. */
function whyOf(problem: unknown): string {
  if (typeof problem !== 'object' || problem === null) return SILENT
  const { detail, errors } = problem as { detail?: unknown; errors?: unknown }
  const [ofField] = typeof errors === 'object' && errors !== null ? Object.values(errors) : []
  const said = typeof ofField === 'string' ? ofField : detail
  return typeof said === 'string' && said !== '' ? said : SILENT
}

const isJson = (answer: Response) => /\bjson\b/.test(answer.headers.get('Content-Type') ?? '')

async function readAnswer(answer: Response): Promise<Outcome> {
  const { status } = answer
  // A network that wants a sign-in of its own answers everything with a page: that was not the server.
  if (!isJson(answer)) return { kind: 'later', afterMs: 0 }
  if (answer.ok) return { kind: 'sent', answer: (await answer.json()) as unknown }
  if (status === 401) return { kind: 'signed-out' }
  const isBusy = status === REQUEST_TIMEOUT || status === TOO_MANY || (status >= 500 && status !== STORAGE_FULL)
  if (isBusy) return { kind: 'later', afterMs: Number(answer.headers.get('Retry-After') ?? 0) * 1000 || 0 }
  return { kind: 'refused', why: status === NOT_FOUND ? NOT_YOURS : whyOf(await answer.json()) }
}

async function ask(request: Request): Promise<Outcome> {
  try {
    return await readAnswer(await globalThis.fetch(request))
  } catch (error) {
    // The line broke, before or in the middle of the answer; the key makes the next try safe.
    if (error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError)
      return { kind: 'offline' }
    throw error
  }
}

/** The id that the server gave to a photo. */
export function fileIdOf({ command }: Entry, answer: unknown): string | undefined {
  const first: unknown = command.kind === 'photo' && Array.isArray(answer) ? answer[0] : undefined
  return typeof first === 'object' && first !== null && 'id' in first && typeof first.id === 'string'
    ? first.id
    : undefined
}

export function sendEntry(entry: Entry, photo: ArrayBuffer | undefined): Promise<Outcome> {
  return ask(requestOf(entry, photo))
}

/** Whose session this is, as the outbox names its owners. */
export async function askWho(): Promise<{ kind: 'known'; owner: string } | Exclude<Outcome, { kind: 'sent' }>> {
  const outcome = await ask(
    new Request(new URL('/api/auth/me', globalThis.location.origin), {
      headers: { Accept: 'application/json' },
      credentials: 'same-origin',
    }),
  )
  if (outcome.kind !== 'sent') return outcome
  const { id, orgId } = outcome.answer as { id: string; orgId: string }
  return { kind: 'known', owner: `${orgId}:${id}` }
}
