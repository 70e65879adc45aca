// Visit moves with Undo: optimistic, rolled back on failure.
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { UNASSIGNED, UNDO_MS } from '@/domain/job'
import { leadsKey } from '@/domain/query-keys'
import type { SlotChange } from '@/features/jobs/types'
import { crewLabel } from '@/features/jobs/lib/labels'
import { useUndoJobChange } from '@/features/jobs/mutations'
import { jobQueries } from '@/features/jobs/queries'
import { formatDayTime } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { withSlot, type DropTarget } from './lib/drop-target'
import { scheduleMessages as texts } from './messages'
import { scheduleQueries } from './queries'
import type { Schedule, Visit } from './types'

export type VisitMove = { visit: Visit; to: DropTarget; tell?: boolean }

/** The schedule as it will be. */
export function moveVisit(schedule: Schedule, visit: Visit, to: DropTarget): Schedule {
  const others = schedule.jobs.filter(({ id }) => id !== visit.id)
  const waiting = schedule.tray.filter(({ id }) => id !== visit.id)
  if (to === 'tray')
    return { ...schedule, jobs: others, tray: [...waiting, { ...visit, date: null, endsAt: null, conflicts: 0 }] }
  const crew = schedule.crews.find(({ id }) => id === to.crewId)?.name ?? UNASSIGNED
  const jobs = [...others, withSlot(visit, to, crew)].toSorted(
    (a, b) => Date.parse(a.date ?? '') - Date.parse(b.date ?? ''),
  )
  return { ...schedule, jobs, tray: waiting }
}

function toSlotChange({ to, tell = true }: VisitMove, version: number): SlotChange {
  const requestBody = { version, ...(tell ? {} : { tell }) }
  return to === 'tray'
    ? { ...requestBody, startsAt: null }
    : { ...requestBody, startsAt: to.startsAt, durationMinutes: to.minutes, crewId: to.crewId }
}

/** The newer version, wherever the visit is shown. */
function cacheVersion(client: QueryClient, orgId: string, id: string, version: number): void {
  const newer = (visit: Visit) => (visit.id === id ? { ...visit, version } : visit)
  client.setQueriesData<Schedule>(
    { queryKey: scheduleQueries.all(orgId) },
    (schedule) => schedule && { ...schedule, jobs: schedule.jobs.map(newer), tray: schedule.tray.map(newer) },
  )
}

/** The newest version that is shown: of two quick moves the second builds on the first. */
function getCachedVersion(client: QueryClient, orgId: string, visit: Visit): number {
  const shown = client
    .getQueriesData<Schedule>({ queryKey: scheduleQueries.all(orgId) })
    .flatMap(([, schedule]) => (schedule ? schedule.jobs.concat(schedule.tray) : []))
  return Math.max(visit.version, ...shown.filter(({ id }) => id === visit.id).map(({ version }) => version))
}

/** `Today 9:00 AM, North crew. Overlaps #1002.` */
function describeSlot(startsAt: string, crew: string, timeZone: string, overlaps: string): string {
  const slot = `${formatDayTime(startsAt, timeZone, Date.now())}, ${crewLabel(crew)}`
  return overlaps === '' ? slot : t('{slot}. Overlaps {jobs}.', { slot, jobs: overlaps })
}

export function useMoveVisit() {
  const { orgId, orgTimezone } = useCurrentUser()
  const client = useQueryClient()
  const undo = useUndoJobChange()
  const queryKey = scheduleQueries.all(orgId)
  return useMutation({
    // One after the other.
    scope: { id: 'schedule' },
    mutationFn: (move: VisitMove) => {
      const [id, body] = [move.visit.id, toSlotChange(move, getCachedVersion(client, orgId, move.visit))]
      return unwrap(
        api.POST('/api/jobs/{id}/schedule', {
          params: { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(`job-schedule:${id}`, body) } },
          body,
        }),
      )
    },
    onMutate: async ({ visit, to }) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueriesData<Schedule>({ queryKey })
      // It may have been taken before the answer to its last move brought a newer version.
      const newest = { ...visit, version: getCachedVersion(client, orgId, visit) }
      client.setQueriesData<Schedule>({ queryKey }, (schedule) => schedule && moveVisit(schedule, newest, to))
      return { before }
    },
    onSuccess: ({ job, conflicts }, { visit, to }) => {
      clearSubmissionKey(`job-schedule:${visit.id}`)
      cacheVersion(client, orgId, job.id, job.version)
      client.setQueryData(jobQueries.detail(orgId, job.id).queryKey, job)
      const overlaps = conflicts.map(({ number }) => `#${number}`).join(', ')
      const where = to === 'tray' ? texts.back : describeSlot(to.startsAt, job.crewAssigned, orgTimezone, overlaps)
      const eventId = job.undo?.eventId
      toast.show(to === 'tray' ? texts.unscheduled : visit.date ? texts.moved : texts.scheduled, {
        description: `#${visit.number}, ${visit.customer}: ${where}`,
        ...(eventId ? { durationMs: UNDO_MS, action: { label: t('Undo'), onAction: () => undo.mutate(eventId) } } : {}),
      })
    },
    onError: (_error, _move, context) => {
      for (const [key, data] of context?.before ?? []) client.setQueryData(key, data)
    },
    meta: { failure: texts.moveFailed, invalidates: [jobQueries.all(orgId), leadsKey(orgId)] },
  })
}
