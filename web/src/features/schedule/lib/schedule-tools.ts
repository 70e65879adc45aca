// Props shared by the boards.
import type { PointerEvent as ReactPointerEvent } from 'react'
import type { HeldTime, Schedule, Visit } from '../types'
import type { VisitDrag, HeldVisit } from './use-visit-drag'

export type ScheduleTools = {
  schedule: Schedule
  /** What is still held. */
  held: readonly HeldTime[]
  timeZone: string
  now: number
  /** Whether this person moves visits. */
  canMove: boolean
  overlaps: ReadonlyMap<string, Visit[]>
  drag: VisitDrag | undefined
  take: (event: ReactPointerEvent, held: HeldVisit) => void
  open: (visit: Visit) => void
  /** Opens the day view. */
  showDay: (day: string) => void
}

export const HATCHED_CLASS =
  'bg-[repeating-linear-gradient(135deg,transparent_0_6px,color-mix(in_oklab,var(--color-base-content)_9%,transparent)_6px_8px)]'

/** What a crew's visits are marked with, by its tone. */
const CREW_BORDER_CLASSES = [
  'border-l-primary',
  'border-l-secondary',
  'border-l-accent',
  'border-l-info',
  'border-l-success',
  'border-l-error',
  'border-l-neutral',
  'border-l-base-content',
] as const

export function getCrewBorderClass({ crews }: Schedule, crewId: string | null | undefined): string {
  const tone = crews.find(({ id }) => id === crewId)?.tone
  return tone === undefined
    ? 'border-l-muted'
    : (CREW_BORDER_CLASSES[tone % CREW_BORDER_CLASSES.length] ?? 'border-l-primary')
}
