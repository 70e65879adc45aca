// Closed sets of a job: label, tone, icon. A new API value fails the type check.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import type { Tone } from './tone'

export type JobStatus = Schema['JobSummary']['status']
/** Priority in lists. */
export type JobPriority = Schema['JobSummary']['priority']
/** Priority on the job page. */
export type JobDetailPriority = Schema['JobDetail']['priority']
export type PriorityLevel = Schema['JobSummary']['priorityLevel']
export type StepStatus = Schema['Step']['status']
export type FileCategory = Schema['AutomatedFile']['category']
export type FileDocumentKind = NonNullable<Schema['AutomatedFile']['paper']>
export type DocumentCategory = Schema['PaperCategory']
export type FileDelivery = NonNullable<Schema['AutomatedFile']['status']>
export type FileTool = Schema['AutomatedFile']['automationTool']
export type FileMoment = NonNullable<Schema['AutomatedFile']['moment']>

type StatusDisplay = { label: string; tone: Tone; icon: string }

/** `value` is the query parameter. */
export const JOB_STATUSES = {
  Scheduled: { label: t('Scheduled'), value: 'scheduled', tone: 'warning', icon: 'calendar' },
  'In Progress': { label: t('In Progress'), value: 'in_progress', tone: 'info', icon: 'wrench' },
  Completed: { label: t('Completed'), value: 'completed', tone: 'success', icon: 'check-circle' },
  Cancelled: { label: t('Cancelled'), value: 'cancelled', tone: 'neutral', icon: 'close' },
} as const satisfies Record<JobStatus, StatusDisplay & { value: Schema['JobState'] }>

export const NOT_SCHEDULED = t('Not scheduled')
const UNSCHEDULED = { label: NOT_SCHEDULED, tone: 'neutral', icon: 'calendar' } as const satisfies StatusDisplay

const ON_THE_WAY = { label: t('On the way'), tone: 'info', icon: 'pin' } as const satisfies StatusDisplay

/** A job without a time is open, but not on the schedule; one whose crew has set off is still Scheduled in the API. */
export function getJobStatus(status: JobStatus, isScheduled: boolean, isOnTheWay = false) {
  if (status !== 'Scheduled') return JOB_STATUSES[status]
  if (isOnTheWay) return ON_THE_WAY
  return isScheduled ? JOB_STATUSES.Scheduled : UNSCHEDULED
}

/** Status as a query parameter. */
export type JobStatusParam = Schema['JobState']

export const JOB_PRIORITIES = {
  Standard: { label: t('Standard'), tone: 'neutral', icon: 'flag' },
  Urgent: { label: t('Urgent'), tone: 'warning', icon: 'flag' },
  Rush: { label: t('Rush'), tone: 'error', icon: 'alert' },
} as const satisfies Record<JobPriority, StatusDisplay>

/** The usual priority has the list's word. */
export const JOB_DETAIL_PRIORITIES = {
  High: { label: t('High'), tone: 'error', icon: 'alert' },
  Normal: { label: t('Standard'), tone: 'neutral', icon: 'flag' },
  Low: { label: t('Low'), tone: 'neutral', icon: 'chevron-down' },
} as const satisfies Record<JobDetailPriority, StatusDisplay>

export const PRIORITY_LEVELS = {
  low: t('Low'),
  standard: t('Standard'),
  urgent: t('Urgent'),
  rush: t('Rush'),
} as const satisfies Record<PriorityLevel, string>

export const STEP_STATUSES = {
  completed: { label: t('Completed'), tone: 'success', icon: 'check' },
  automated: { label: t('Automated'), tone: 'accent', icon: 'sparkle' },
  current: { label: t('Current'), tone: 'info', icon: 'arrow-right' },
  pending: { label: t('Pending'), tone: 'neutral', icon: 'clock' },
} as const satisfies Record<StepStatus, StatusDisplay>

export const FILE_CATEGORIES = {
  estimate: { label: t('Estimate'), tone: 'accent', icon: 'document' },
  invoice: { label: t('Invoice'), tone: 'secondary', icon: 'dollar' },
  progress_photo: { label: t('Progress photo'), tone: 'info', icon: 'camera' },
  completion_photo: { label: t('Completion photo'), tone: 'success', icon: 'camera' },
  review_request: { label: t('Review request'), tone: 'warning', icon: 'star' },
} as const satisfies Record<FileCategory, StatusDisplay>

/** Kinds finer than the category. */
export const FILE_DOCUMENT_KINDS = {
  estimate: t('Estimate'),
  signed_estimate: t('Signed estimate'),
  change_order: t('Change order'),
  signed_change_order: t('Signed change order'),
  invoice: t('Invoice'),
  receipt: t('Receipt'),
  upload: t('Added manually'),
} as const satisfies Record<FileDocumentKind, string>

export const FILE_DELIVERIES = {
  sent: { label: t('Sent'), tone: 'info', icon: 'send' },
  delivered: { label: t('Delivered'), tone: 'success', icon: 'check' },
  viewed: { label: t('Viewed'), tone: 'success', icon: 'eye' },
  downloaded: { label: t('Downloaded'), tone: 'success', icon: 'download' },
} as const satisfies Record<FileDelivery, StatusDisplay>

export const NOT_SENT = { label: t('Not sent'), tone: 'neutral', icon: 'close' } as const satisfies StatusDisplay

export const FILE_TOOLS = {
  auto_reply: t('Auto-Reply'),
  job_tracker: t('Job Tracker'),
  review_booster: t('Review Booster'),
  lead_intake: t('Lead Intake'),
  kpi_pulse: t('KPI Pulse'),
} as const satisfies Record<FileTool, string>

export const FILE_MOMENTS = {
  before: t('Before the work'),
  during: t('During the work'),
  after: t('After the work'),
} as const satisfies Record<FileMoment, string>

export const UNASSIGNED = t('Unassigned')

/** Undo window. */
export const UNDO_MS = 60_000
/** In minutes. */
export const JOB_DURATIONS = [30, 45, 60, 90, 120, 180, 240, 300, 360, 480] as const
export const DEFAULT_DURATION = 120

/** Per request, with the size of each. */
export const MAX_FILES = 5
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
export const MAX_MATERIALS = 100
export const MAX_CHECKLIST_ITEMS = 20

/** Props of the job page's slots. */
export type JobRouteProps = { leadId: string; jobId: string }
