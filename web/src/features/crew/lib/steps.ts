// What comes next for whoever is on site, and what is still missing before it is done.
import type { Entry } from '@/offline/outbox/entry'
import type { FileMoment } from '@/domain/job'
import type { JobDetail } from '@/features/jobs/types'

export type FieldStep = 'way' | 'start' | 'done'

/** Undefined when nothing is left to do here. */
export function fieldStep({ status, onMyWayAt }: Pick<JobDetail, 'status' | 'onMyWayAt'>): FieldStep | undefined {
  if (status === 'In Progress') return 'done'
  if (status !== 'Scheduled') return undefined
  return onMyWayAt ? 'start' : 'way'
}

const WANTED = { none: [], after: ['after'], before_and_after: ['before', 'after'] } as const satisfies Record<
  JobDetail['requiredPhotos'],
  readonly FileMoment[]
>

/** Moments that must be photographed and are not, neither there nor on this phone. */
export function missingPhotos(
  { requiredPhotos, files }: Pick<JobDetail, 'requiredPhotos' | 'files'>,
  entries: readonly Entry[],
): FileMoment[] {
  const taken = new Set([
    ...files.flatMap(({ type, moment }) => (type === 'photo' && moment ? [moment] : [])),
    ...entries.flatMap(({ command, refusal }) =>
      command.kind === 'photo' && refusal === null ? [command.moment] : [],
    ),
  ])
  return WANTED[requiredPhotos].filter((moment) => !taken.has(moment))
}

/** Lines of the checklist that are not ticked. */
export const openChecks = ({ checklist }: Pick<JobDetail, 'checklist'>) => checklist.filter(({ doneAt }) => !doneAt)
