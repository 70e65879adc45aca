// Next step on site, and what completion lacks.
import type { OutboxEntry } from '@/offline/outbox/entry'
import type { FileMoment } from '@/domain/job'
import type { JobDetail } from '@/features/jobs/types'

export type FieldStep = 'way' | 'start' | 'done'

/** Undefined when nothing is left to do here. */
export function nextFieldStep({ status, onMyWayAt }: Pick<JobDetail, 'status' | 'onMyWayAt'>): FieldStep | undefined {
  if (status === 'In Progress') return 'done'
  if (status !== 'Scheduled') return undefined
  return onMyWayAt ? 'start' : 'way'
}

const REQUIRED_MOMENTS = {
  none: [],
  after: ['after'],
  before_and_after: ['before', 'after'],
} as const satisfies Record<JobDetail['requiredPhotos'], readonly FileMoment[]>

/** Moments that must be photographed and are not, neither there nor on this phone. */
export function missingPhotos(
  { requiredPhotos, files }: Pick<JobDetail, 'requiredPhotos' | 'files'>,
  entries: readonly OutboxEntry[],
): FileMoment[] {
  const taken = new Set([
    ...files.flatMap(({ type, moment }) => (type === 'photo' && moment ? [moment] : [])),
    ...entries.flatMap(({ command, refusal }) =>
      command.kind === 'photo' && refusal === null ? [command.moment] : [],
    ),
  ])
  return REQUIRED_MOMENTS[requiredPhotos].filter((moment) => !taken.has(moment))
}

/** Lines of the checklist that are not ticked. */
export const openChecklistItems = ({ checklist }: Pick<JobDetail, 'checklist'>) =>
  checklist.filter(({ doneAt }) => !doneAt)
