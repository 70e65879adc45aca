// Actions by job state, the next one first.
import { pgettext, t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import { jobsMessages } from '../messages'
import type { JobDetail, StatusChange } from '../types'

/** What opens a sheet of its own. */
export type JobSheetName = 'schedule' | 'assign' | 'edit' | 'cancel' | 'photos' | 'on-site' | 'review'

export type JobAction = {
  label: string
  icon: IconName
  /** Asked again in a sheet of its own where it cannot simply be done. */
  does: { opens: JobSheetName } | { to: StatusChange['to']; title: string } | 'unschedule'
  isDanger?: boolean
}

const texts = jobsMessages.status

const SCHEDULE: JobAction = { label: pgettext('verb', 'Schedule'), icon: 'calendar', does: { opens: 'schedule' } }
const MOVE: JobAction = { label: t('Change the time'), icon: 'calendar', does: { opens: 'schedule' } }
const UNSCHEDULE: JobAction = { label: t('Take off the schedule'), icon: 'inbox', does: 'unschedule' }
const REASSIGN: JobAction = { label: t('Reassign'), icon: 'leads', does: { opens: 'assign' } }
const EDIT: JobAction = { label: t('Edit the job'), icon: 'pencil', does: { opens: 'edit' } }
const PHOTOS: JobAction = { label: t('Add photos'), icon: 'camera', does: { opens: 'photos' } }
/** On-site actions: on my way, running late, photos one after the other. */
const ON_SITE: JobAction = { label: t('Open on site'), icon: 'pin', does: { opens: 'on-site' } }
/** Asks what they think of it; the same is done by itself some time after the work. */
export const REQUEST_REVIEW: JobAction = { label: t('Request Review'), icon: 'star', does: { opens: 'review' } }
const CANCEL: JobAction = { label: t('Cancel the job'), icon: 'close', does: { opens: 'cancel' }, isDanger: true }
const START: JobAction = { label: t('Start'), icon: 'play', does: { to: 'in_progress', title: texts.started } }
const STOP: JobAction = {
  label: t('Not started after all'),
  icon: 'undo',
  does: { to: 'scheduled', title: texts.stopped },
}
const DONE: JobAction = { label: t('Done'), icon: 'check', does: { to: 'completed', title: texts.done } }
const REOPEN: JobAction = { label: t('Reopen'), icon: 'undo', does: { to: 'in_progress', title: texts.reopened } }
const RESTORE: JobAction = { label: t('Restore'), icon: 'undo', does: { to: 'scheduled', title: texts.restored } }

type JobState = Pick<JobDetail, 'status' | 'scheduledAt'>

/** The step that comes next; none when everything is done. */
export function getNextAction({ status, scheduledAt }: JobState, isOffice: boolean): JobAction | undefined {
  if (status === 'Scheduled') return scheduledAt || !isOffice ? START : SCHEDULE
  if (status === 'In Progress') return DONE
  return status === 'Cancelled' && isOffice ? RESTORE : undefined
}

/** Times, crews and descriptions belong to the office. */
const OFFICE_ACTIONS: ReadonlySet<JobAction> = new Set([
  SCHEDULE,
  MOVE,
  UNSCHEDULE,
  REASSIGN,
  EDIT,
  REQUEST_REVIEW,
  CANCEL,
  RESTORE,
])

function getAllActions({ status, scheduledAt }: JobState): JobAction[] {
  switch (status) {
    case 'Scheduled':
      return scheduledAt
        ? [ON_SITE, DONE, MOVE, REASSIGN, PHOTOS, EDIT, UNSCHEDULE, CANCEL]
        : [START, DONE, REASSIGN, PHOTOS, EDIT, CANCEL]
    case 'In Progress':
      return [ON_SITE, STOP, REASSIGN, PHOTOS, EDIT, CANCEL]
    case 'Completed':
      return [REQUEST_REVIEW, REOPEN, PHOTOS, EDIT]
    case 'Cancelled':
      return [PHOTOS]
  }
}

/** What else can be done, in the order it is asked for. */
export function getOtherActions(job: JobState, isOffice: boolean): JobAction[] {
  const next = getNextAction(job, isOffice)
  return getAllActions(job).filter((action) => action !== next && (isOffice || !OFFICE_ACTIONS.has(action)))
}
