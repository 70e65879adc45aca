// Outbox entries: order and retry times.
import type { FileMoment } from '@/domain/job'

/** Commands allowed offline; none for money, documents or customer texts. */
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

/** Original of an annotated photo: a server file or a pending entry. */
export type PhotoOriginal = { fileId: string } | { entryId: number }

export type NewOutboxEntry = {
  /** Idempotency key. */
  key: string
  jobId: string
  /** `#1007, Carla Customer`, for lists without the job. */
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
}

const FIRST_RETRY_MS = 5000
const MAX_RETRY_MS = 5 * 60_000

export function getRetryDelay(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, tries - 1), MAX_RETRY_MS)
}

/** Depends on earlier status changes. */
export function isStatusChange({ kind }: OutboxCommand): boolean {
  return kind === 'status' || kind === 'on_my_way' || kind === 'late'
}

/**
 * Oldest sendable entry. Order is kept per job; after a refusal notes, ticks and photos continue, status changes
 * wait. Jobs in `passed` are skipped.
 */
export function getNextEntry(
  entries: readonly OutboxEntry[],
  now: number,
  passed: ReadonlySet<string>,
): OutboxEntry | undefined {
  const waiting = new Set(passed)
  const stuck = new Set<string>()
  for (const entry of entries) {
    const { jobId, command } = entry
    if (entry.refusal !== null) {
      if (isStatusChange(command)) stuck.add(jobId)
    } else if (!waiting.has(jobId) && !(stuck.has(jobId) && isStatusChange(command))) {
      if (entry.notBefore <= now) return entry
      waiting.add(jobId)
    }
  }
  return undefined
}
