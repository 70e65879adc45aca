import type { Schema } from '@/api/client'
import type { JobSummary } from '@/features/jobs/types'

export type Schedule = Schema['Schedule']
export type Visit = JobSummary
export type HeldTime = Schema['WaitingHold']

export const SCHEDULE_VIEWS = ['day', 'week', 'month'] as const
export type ScheduleView = (typeof SCHEDULE_VIEWS)[number]

/** Where a visit goes: a time on the business's clock, with a crew or none yet. */
export type VisitSlot = { startsAt: string; minutes: number; crewId: string | null }
