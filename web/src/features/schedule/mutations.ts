// Moving a visit: shown at once, taken back if the server does not agree, and undone with one tap.
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { UNASSIGNED, UNDO_MS } from '@/domain/job'
import { leadsKey } from '@/domain/query-keys'
import { useUndo } from '@/features/jobs/mutations'
import { jobQueries } from '@/features/jobs/queries'
import { dayAndTime } from '@/lib/format/zone-time'
import { clearSubmissionKey, submissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { placed, type Drop } from './lib/drop'
import { scheduleMessages as texts } from './messages'
import { scheduleQueries } from './queries'
import type { Schedule, SlotChange, Visit } from './types'

export type Move = { visit: Visit; to: Drop; tell?: boolean }

/** The schedule as it will be. */
export function moved(schedule: Schedule, visit: Visit, to: Drop): Schedule {
  const others = schedule.jobs.filter(({ id }) => id !== visit.id)
  const waiting = schedule.tray.filter(({ id }) => id !== visit.id)
  if (to === 'tray')
    return { ...schedule, jobs: others, tray: [...waiting, { ...visit, date: null, endsAt: null, conflicts: 0 }] }
  const crew = schedule.crews.find(({ id }) => id === to.crewId)?.name ?? UNASSIGNED
  const jobs = [...others, placed(visit, to, crew)].toSorted(
    (a, b) => Date.parse(a.date ?? '') - Date.parse(b.date ?? ''),
  )
  return { ...schedule, jobs, tray: waiting }
}

function changeOf({ to, tell = true }: Move, version: number): SlotChange {
  const told = { version, ...(tell ? {} : { tell }) }
  return to === 'tray'
    ? { ...told, startsAt: null }
    : { ...told, startsAt: to.startsAt, durationMinutes: to.minutes, crewId: to.crewId }
}

/** The newer version, wherever the visit is shown. */
function keepVersion(client: QueryClient, orgId: string, id: string, version: number): void {
  const newer = (visit: Visit) => (visit.id === id ? { ...visit, version } : visit)
  client.setQueriesData<Schedule>(
    { queryKey: scheduleQueries.all(orgId) },
    (schedule) => schedule && { ...schedule, jobs: schedule.jobs.map(newer), tray: schedule.tray.map(newer) },
  )
}

/** The newest version that is shown: of two quick moves the second builds on the first. */
function versionOf(client: QueryClient, orgId: string, visit: Visit): number {
  const shown = client
    .getQueriesData<Schedule>({ queryKey: scheduleQueries.all(orgId) })
    .flatMap(([, schedule]) => (schedule ? schedule.jobs.concat(schedule.tray) : []))
  return Math.max(visit.version, ...shown.filter(({ id }) => id === visit.id).map(({ version }) => version))
}

export function useMove() {
  const { orgId, orgTimezone } = useCurrentUser()
  const client = useQueryClient()
  const undo = useUndo()
  const queryKey = scheduleQueries.all(orgId)
  return useMutation({
    // One after the other.
    scope: { id: 'schedule' },
    mutationFn: (move: Move) => {
      const [id, body] = [move.visit.id, changeOf(move, versionOf(client, orgId, move.visit))]
      return unwrap(
        api.POST('/api/jobs/{id}/schedule', {
          params: { path: { id }, header: { 'Idempotency-Key': submissionKey(`job-schedule:${id}`, body) } },
          body,
        }),
      )
    },
    onMutate: async ({ visit, to }) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueriesData<Schedule>({ queryKey })
      // It may have been taken before the answer to its last move brought a newer version.
      const newest = { ...visit, version: versionOf(client, orgId, visit) }
      client.setQueriesData<Schedule>({ queryKey }, (schedule) => schedule && moved(schedule, newest, to))
      return { before }
    },
    onSuccess: ({ job, conflicts }, { visit, to }) => {
      clearSubmissionKey(`job-schedule:${visit.id}`)
      keepVersion(client, orgId, job.id, job.version)
      client.setQueryData(jobQueries.detail(orgId, job.id).queryKey, job)
      const overlaps = conflicts.map(({ number }) => `#${number}`).join(', ')
      const where =
        to === 'tray'
          ? texts.back
          : `${dayAndTime(to.startsAt, orgTimezone, Date.now())}, ${job.crewAssigned}${overlaps === '' ? '' : `. Overlaps ${overlaps}.`}`
      const eventId = job.undo?.eventId
      toast.show(to === 'tray' ? texts.unscheduled : visit.date ? texts.moved : texts.scheduled, {
        description: `#${visit.number}, ${visit.customer}: ${where}`,
        ...(eventId ? { durationMs: UNDO_MS, action: { label: 'Undo', onAction: () => undo.mutate(eventId) } } : {}),
      })
    },
    onError: (_error, _move, context) => {
      for (const [key, data] of context?.before ?? []) client.setQueryData(key, data)
    },
    meta: { failure: texts.moveFailed, invalidates: [jobQueries.all(orgId), leadsKey(orgId)] },
  })
}
