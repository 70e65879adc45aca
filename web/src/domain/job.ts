// A booked job's closed sets with their labels, tones and icons. A new value in the API breaks the build here.
import type { Schema } from '@/api/client'
import type { Tone } from './tone'

export type JobStatus = Schema['JobSummary']['status']
/** As the board says it. */
export type JobPriority = Schema['JobSummary']['priority']
/** As the job's own page says it. */
export type JobRank = Schema['JobDetail']['priority']
export type PriorityLevel = Schema['JobSummary']['priorityLevel']
export type StepStatus = Schema['Step']['status']
export type FileCategory = Schema['AutomatedFile']['category']
export type FilePaper = NonNullable<Schema['AutomatedFile']['paper']>
export type PaperCategory = Schema['PaperCategory']
export type FileDelivery = NonNullable<Schema['AutomatedFile']['status']>
export type FileTool = Schema['AutomatedFile']['automationTool']
export type FileMoment = NonNullable<Schema['AutomatedFile']['moment']>

type Look = { label: string; tone: Tone; icon: string }

/** `value` is what the server is asked for. */
export const JOB_STATUSES = {
  Scheduled: { label: 'Scheduled', value: 'scheduled', tone: 'warning', icon: 'calendar' },
  'In Progress': { label: 'In Progress', value: 'in_progress', tone: 'info', icon: 'wrench' },
  Completed: { label: 'Completed', value: 'completed', tone: 'success', icon: 'check-circle' },
  Cancelled: { label: 'Cancelled', value: 'cancelled', tone: 'neutral', icon: 'close' },
} as const satisfies Record<JobStatus, Look & { value: Schema['JobState'] }>

/** A status as the server is asked for it. */
export type StatusAsked = Schema['JobState']

export const JOB_PRIORITIES = {
  Standard: { label: 'Standard', tone: 'neutral', icon: 'flag' },
  Urgent: { label: 'Urgent', tone: 'warning', icon: 'flag' },
  Rush: { label: 'Rush', tone: 'error', icon: 'alert' },
} as const satisfies Record<JobPriority, Look>

export const JOB_RANKS = {
  High: { label: 'High', tone: 'error', icon: 'alert' },
  Normal: { label: 'Normal', tone: 'neutral', icon: 'flag' },
  Low: { label: 'Low', tone: 'neutral', icon: 'chevron-down' },
} as const satisfies Record<JobRank, Look>

export const PRIORITY_LEVELS = {
  low: 'Low',
  standard: 'Standard',
  urgent: 'Urgent',
  rush: 'Rush',
} as const satisfies Record<PriorityLevel, string>

export const STEP_STATUSES = {
  completed: { label: 'Completed', tone: 'success', icon: 'check' },
  automated: { label: 'Automated', tone: 'accent', icon: 'sparkle' },
  current: { label: 'Current', tone: 'info', icon: 'arrow-right' },
  pending: { label: 'Pending', tone: 'neutral', icon: 'clock' },
} as const satisfies Record<StepStatus, Look>

export const FILE_CATEGORIES = {
  estimate: { label: 'Estimate', tone: 'accent', icon: 'document' },
  invoice: { label: 'Invoice', tone: 'secondary', icon: 'dollar' },
  progress_photo: { label: 'Progress photo', tone: 'info', icon: 'camera' },
  completion_photo: { label: 'Completion photo', tone: 'success', icon: 'camera' },
  review_request: { label: 'Review request', tone: 'warning', icon: 'star' },
} as const satisfies Record<FileCategory, Look>

/** What a document is, where that is more than its category. */
export const FILE_PAPERS = {
  estimate: 'Estimate',
  signed_estimate: 'Signed estimate',
  change_order: 'Change order',
  signed_change_order: 'Signed change order',
  invoice: 'Invoice',
  receipt: 'Receipt',
  upload: 'Added by hand',
} as const satisfies Record<FilePaper, string>

export const FILE_DELIVERIES = {
  sent: { label: 'Sent', tone: 'info', icon: 'send' },
  delivered: { label: 'Delivered', tone: 'success', icon: 'check' },
  viewed: { label: 'Viewed', tone: 'success', icon: 'eye' },
  downloaded: { label: 'Downloaded', tone: 'success', icon: 'download' },
} as const satisfies Record<FileDelivery, Look>

/** What nobody was sent. */
export const NOT_SENT = { label: 'Not sent', tone: 'neutral', icon: 'close' } as const satisfies Look

export const FILE_TOOLS = {
  auto_reply: 'Auto-Reply',
  job_tracker: 'Job Tracker',
  review_booster: 'Review Booster',
  lead_intake: 'Lead Intake',
  kpi_pulse: 'KPI Pulse',
} as const satisfies Record<FileTool, string>

export const FILE_MOMENTS = {
  before: 'Before the work',
  during: 'During the work',
  after: 'After the work',
} as const satisfies Record<FileMoment, string>

export const UNASSIGNED = 'Unassigned'
export const NOT_SCHEDULED = 'Not scheduled'

/** How long a change can be taken back. */
export const UNDO_MS = 60_000
/** Lengths a visit is offered in, in minutes. */
export const JOB_DURATIONS = [30, 45, 60, 90, 120, 180, 240, 300, 360, 480] as const
export const DEFAULT_DURATION = 120

/** Files in one request, and how large each may be. */
export const MAX_FILES = 5
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
/** A visit or a crew may have this many lines of either. */
export const MAX_MATERIALS = 100
export const MAX_CHECKS = 20

/** What a job's page hands to what other features put on it. */
export type JobSlot = { leadId: string; jobId: string }
