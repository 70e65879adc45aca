// What the schedule reads and writes, by the names the screens use.
import type { Schema } from '@/api/client'
import type { JobSummary } from '@/features/jobs/types'

export type Schedule = Schema['Schedule']
export type Visit = JobSummary
export type Crew = Schema['Crew']
export type SlotChange = Schema['SlotChange']

export const VIEWS = ['day', 'week', 'month'] as const
export type View = (typeof VIEWS)[number]

/** Where a visit goes: a time on the business's clock, with a crew or none yet. */
export type Slot = { startsAt: string; minutes: number; crewId: string | null }
