// Outbox entries: order, retry times, and which of them need a new decision.
import type { Schema } from '@/api/client'
import type { FileMoment } from '@/domain/job'
import type { LeadStage } from '@/domain/lead'

/** Fields of a customer that can be edited offline. */
export type CustomerEdit = Pick<
  Schema['CustomerChange'],
  'name' | 'phone' | 'email' | 'language' | 'isStaff' | 'hasComplaint'
>

/** Somebody of the team, with the name for the screen. */
export type TeamMember = { id: string; name: string }

/** Commands of the office; their subject is a customer, a lead, a review or an item of the worklist. */
export type OfficeCommand =
  | { kind: 'message'; message: Schema['MessageRequest'] }
  | { kind: 'lead_stage'; to: LeadStage; reason?: string }
  | { kind: 'lead_owner'; to: TeamMember | null }
  | { kind: 'customer'; change: CustomerEdit }
  /** A new place, or a change of the one with this id; `address` is for the screen. */
  | { kind: 'property'; propertyId?: string; address: string; change: Schema['PropertyChange'] }
  | { kind: 'review_reply'; text: string | null }
  /** `since`: the item as it was shown. */
  | { kind: 'work_done'; since: string }
  | { kind: 'work_snooze'; since: string; until: string }
  | { kind: 'work_assign'; to: TeamMember | null }

const OFFICE_KINDS = {
  message: true,
  lead_stage: true,
  lead_owner: true,
  customer: true,
  property: true,
  review_reply: true,
  work_done: true,
  work_snooze: true,
  work_assign: true,
} as const satisfies Record<OfficeCommand['kind'], true>

export function isOfficeCommand(command: OutboxCommand): command is OfficeCommand {
  return Object.hasOwn(OFFICE_KINDS, command.kind)
}

/** Commands allowed offline; none for money or documents. */
export type OutboxCommand =
  | { kind: 'status'; to: 'scheduled' | 'in_progress' | 'completed' }
  | { kind: 'on_my_way'; etaMinutes: number }
  | { kind: 'late'; minutes: number }
  | { kind: 'note'; body: string }
  | { kind: 'check'; checkId: string; done: boolean }
  | {
      kind: 'photo'
      moment: FileMoment
      name: string
      type: string
      takenAt: string
      caption?: string
      copyOf?: PhotoOriginal
    }
  | OfficeCommand

/** Original of an annotated photo: a server file or a pending entry. */
export type PhotoOriginal = { fileId: string } | { entryId: number }

export type NewOutboxEntry = {
  /** Idempotency key. */
  key: string
  /** The job, or the subject of an office command: the id of a record, the key of an item of the worklist. */
  jobId: string
  /** `#1007, Carla Customer`, for lists without the job; the name of a person. */
  jobName: string
  command: OutboxCommand
  /** Device clock. */
  happenedAt: string
}

export type OutboxEntry = NewOutboxEntry & {
  /** Increasing. */
  id: number
  tries: number
  /** Next retry, in milliseconds. */
  notBefore: number
  /** Reason of the server; null while pending. */
  refusal: string | null
  /** When a person last decided that a message that waited too long is sent. */
  confirmedAt?: string
}

const FIRST_RETRY_MS = 5000
const MAX_RETRY_MS = 5 * 60_000
/** A message that waited longer than this is only sent after a person confirms it. */
export const MAX_MESSAGE_WAIT_MS = 15 * 60_000

export function getRetryDelay(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, tries - 1), MAX_RETRY_MS)
}

/** Makes no sense after a refused one before it. */
function dependsOnEarlier({ kind }: OutboxCommand): boolean {
  return kind === 'status' || kind === 'on_my_way' || kind === 'late' || kind === 'lead_stage' || kind === 'message'
}

/** A message that waited too long. A text from the own phone was sent already and is only recorded. */
export function needsConfirmation({ command, happenedAt, confirmedAt, refusal }: OutboxEntry, now: number): boolean {
  if (command.kind !== 'message' || command.message.byHand || refusal !== null) return false
  return now - Date.parse(confirmedAt ?? happenedAt) > MAX_MESSAGE_WAIT_MS
}

/** Entries of one queue keep their order. A customer's edits do not wait for their messages. */
export function getQueueKey({ jobId, command }: Pick<OutboxEntry, 'jobId' | 'command'>): string {
  return command.kind === 'message' ? `message:${jobId}` : jobId
}

/**
 * Oldest sendable entry. Order is kept per job, lead and customer; after a refusal notes, ticks, photos and edits
 * continue, status changes and messages wait. Queues in `passed` are skipped.
 */
export function getNextEntry(
  entries: readonly OutboxEntry[],
  now: number,
  passed: ReadonlySet<string>,
): OutboxEntry | undefined {
  const waiting = new Set(passed)
  const stuck = new Set<string>()
  for (const entry of entries) {
    const { command } = entry
    const queue = getQueueKey(entry)
    if (entry.refusal !== null) {
      if (dependsOnEarlier(command)) stuck.add(queue)
    } else if (!waiting.has(queue) && !(stuck.has(queue) && dependsOnEarlier(command))) {
      if (entry.notBefore <= now && !needsConfirmation(entry, now)) return entry
      waiting.add(queue)
    }
  }
  return undefined
}
