// What was done on site and the server does not know yet: which may go next, and when it is tried again.
import type { FileMoment } from '@/domain/job'

/** All that may wait on a phone. Money, papers and texts to customers may not. */
export type Command =
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
      copyOf?: Original
    }

/** The photo that was drawn on: one the server has, or one that waits here, by its entry. */
export type Original = { fileId: string } | { entryId: number }

export type NewEntry = {
  /** The Idempotency-Key: however often it is sent, it is done once. */
  key: string
  jobId: string
  /** `#1007, Carla Customer`, for lists where the job itself is not in sight. */
  jobName: string
  command: Command
  /** By this device's clock. */
  happenedAt: string
}

export type Entry = NewEntry & {
  /** Grows: what was done first is sent first. */
  id: number
  tries: number
  /** Not tried again before, in milliseconds. */
  notBefore: number
  /** Why the server does not take it; null while it waits. */
  refusal: string | null
}

const FIRST_PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 5 * 60_000

/** How long to wait after so many tries. */
export function pauseAfter(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, tries - 1), LONGEST_PAUSE_MS)
}

/** What moves a job on: each of these builds on the one before. */
export function isMove({ kind }: Command): boolean {
  return kind === 'status' || kind === 'on_my_way' || kind === 'late'
}

/**
 * The oldest that may be sent now. Of one job nothing overtakes what still waits; past what was refused notes, ticks and
 * photos go on, and only another move stays behind. Jobs in `passed` are left for later.
 */
export function nextToSend(entries: readonly Entry[], now: number, passed: ReadonlySet<string>): Entry | undefined {
  const waiting = new Set(passed)
  const stuck = new Set<string>()
  for (const entry of entries) {
    const { jobId, command } = entry
    if (entry.refusal !== null) {
      if (isMove(command)) stuck.add(jobId)
    } else if (!waiting.has(jobId) && !(stuck.has(jobId) && isMove(command))) {
      if (entry.notBefore <= now) return entry
      waiting.add(jobId)
    }
  }
  return undefined
}
