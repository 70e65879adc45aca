// Server job with pending commands applied.
import { isOfficeCommand, type OutboxEntry } from '@/offline/outbox/entry'
import type { JobDetail, JobSummary } from '@/features/jobs/types'

const MINUTE_MS = 60_000

const addMinutes = (from: string, minutes: number) => new Date(Date.parse(from) + minutes * MINUTE_MS).toISOString()

type JobProgress = Pick<JobDetail, 'status' | 'startedAt' | 'completedAt' | 'onMyWayAt' | 'etaAt'>

function withStatus(job: JobDetail, to: 'scheduled' | 'in_progress' | 'completed', at: string): JobProgress {
  const { onMyWayAt = null, etaAt = null, startedAt = null } = job
  switch (to) {
    case 'scheduled':
      return { status: 'Scheduled', startedAt: null, completedAt: null, onMyWayAt: null, etaAt: null }
    case 'in_progress':
      return {
        status: 'In Progress',
        startedAt: job.status === 'Completed' ? startedAt : at,
        completedAt: null,
        onMyWayAt,
        etaAt,
      }
    case 'completed':
      return { status: 'Completed', startedAt: startedAt ?? at, completedAt: at, onMyWayAt, etaAt }
  }
}

function applyCommand(job: JobDetail, { command, happenedAt }: OutboxEntry): JobDetail {
  // Not part of a job.
  if (isOfficeCommand(command)) return job
  switch (command.kind) {
    case 'status':
      return { ...job, ...withStatus(job, command.to, happenedAt) }
    case 'on_my_way':
      return { ...job, onMyWayAt: happenedAt, etaAt: addMinutes(happenedAt, command.etaMinutes) }
    case 'late':
      return { ...job, etaAt: addMinutes(job.etaAt ?? job.scheduledAt ?? happenedAt, command.minutes) }
    case 'check':
      return {
        ...job,
        checklist: job.checklist.map((line) =>
          line.id === command.checkId ? { ...line, doneAt: command.done ? happenedAt : null, doneBy: null } : line,
        ),
      }
    case 'note':
    case 'photo':
      // Shown in lists of their own.
      return job
  }
}

const pendingEntries = (entries: readonly OutboxEntry[], jobId: string) =>
  entries.filter((entry) => entry.jobId === jobId && entry.refusal === null)

/** Pending commands count as done, refused ones do not. */
export function applyPendingCommands(job: JobDetail, entries: readonly OutboxEntry[]): JobDetail {
  const mine = pendingEntries(entries, job.id)
  // The server cannot undo commands that were not sent.
  return mine.reduce(applyCommand, mine.length > 0 ? { ...job, undo: null } : job)
}

/** The same for a line of a list. */
export function applyPendingToSummary(job: JobSummary, entries: readonly OutboxEntry[]): JobSummary {
  let { status, onMyWayAt } = job
  for (const { command, happenedAt } of pendingEntries(entries, job.id)) {
    if (command.kind === 'on_my_way') onMyWayAt = happenedAt
    if (command.kind === 'status') {
      status = ({ scheduled: 'Scheduled', in_progress: 'In Progress', completed: 'Completed' } as const)[command.to]
      if (command.to === 'scheduled') onMyWayAt = null
    }
  }
  return status === job.status && onMyWayAt === job.onMyWayAt ? job : { ...job, status, onMyWayAt: onMyWayAt ?? null }
}
