// What every board works with.
import type { PointerEvent as ReactPointerEvent } from 'react'
import type { Schedule, Visit } from '../types'
import type { Drag, Held } from './use-drag'

export type Tools = {
  schedule: Schedule
  timeZone: string
  now: number
  /** Whether this person moves visits. */
  canMove: boolean
  overlaps: ReadonlyMap<string, Visit[]>
  drag: Drag | undefined
  take: (event: ReactPointerEvent, held: Held) => void
  open: (visit: Visit) => void
  /** Opens the day view. */
  showDay: (day: string) => void
}

/** What a crew's visits are marked with, by its tone. */
const EDGES = [
  'border-l-primary',
  'border-l-secondary',
  'border-l-accent',
  'border-l-info',
  'border-l-success',
  'border-l-error',
  'border-l-neutral',
  'border-l-base-content',
] as const

export function edgeOf({ crews }: Schedule, crewId: string | null | undefined): string {
  const tone = crews.find(({ id }) => id === crewId)?.tone
  return tone === undefined ? 'border-l-muted' : (EDGES[tone % EDGES.length] ?? 'border-l-primary')
}
