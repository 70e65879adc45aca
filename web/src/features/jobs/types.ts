import type { Schema } from '@/api/client'

export type JobSummary = Schema['JobSummary']
export type JobDetail = Schema['JobDetail']
export type JobTiles = Schema['JobTiles']
export type Step = Schema['Step']
export type AutomatedFile = Schema['AutomatedFile']
export type Crew = Schema['Crew']
/** A change order is an estimate that names the job it changes. */
export type ChangeOrder = Schema['EstimateView']
export type ExtraWork = Schema['ExtraWork']

export type NewJob = Schema['NewJob']
export type JobChange = Schema['JobChange']
export type SlotChange = Schema['SlotChange']
export type StatusChange = Schema['StatusChange']
export type JobScheduled = Schema['JobScheduled']
export type CrewChange = Schema['CrewChange']
