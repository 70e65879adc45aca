// What can be done with a job as it stands: the one next step, and the rest.
import type { IconName } from '@/ui/icon'
import { jobsMessages } from '../messages'
import type { JobDetail, StatusChange } from '../types'

/** What opens a sheet of its own. */
export type SheetName = 'schedule' | 'assign' | 'edit' | 'cancel' | 'photos' | 'on-site' | 'review'

export type Action = {
  label: string
  icon: IconName
  /** Asked again in a sheet of its own where it cannot simply be done. */
  does: { opens: SheetName } | { to: StatusChange['to']; title: string } | 'unschedule'
  isDanger?: boolean
}

const texts = jobsMessages.status

const SCHEDULE: Action = { label: 'Schedule', icon: 'calendar', does: { opens: 'schedule' } }
const MOVE: Action = { label: 'Change the time', icon: 'calendar', does: { opens: 'schedule' } }
const UNSCHEDULE: Action = { label: 'Take off the schedule', icon: 'inbox', does: 'unschedule' }
const REASSIGN: Action = { label: 'Reassign', icon: 'leads', does: { opens: 'assign' } }
const EDIT: Action = { label: 'Edit the job', icon: 'pencil', does: { opens: 'edit' } }
const PHOTOS: Action = { label: 'Add photos', icon: 'camera', does: { opens: 'photos' } }
/** The screen of who stands before it: on my way, running late, photos one after the other. */
const ON_SITE: Action = { label: 'Open on site', icon: 'pin', does: { opens: 'on-site' } }
/** Asks what they think of it; the same is done by itself some time after the work. */
export const REVIEW: Action = { label: 'Request Review', icon: 'star', does: { opens: 'review' } }
const CANCEL: Action = { label: 'Cancel the job', icon: 'close', does: { opens: 'cancel' }, isDanger: true }
const START: Action = { label: 'Start', icon: 'play', does: { to: 'in_progress', title: texts.started } }
const STOP: Action = { label: 'Not started after all', icon: 'undo', does: { to: 'scheduled', title: texts.stopped } }
const DONE: Action = { label: 'Done', icon: 'check', does: { to: 'completed', title: texts.done } }
const REOPEN: Action = { label: 'Reopen', icon: 'undo', does: { to: 'in_progress', title: texts.reopened } }
const RESTORE: Action = { label: 'Restore', icon: 'undo', does: { to: 'scheduled', title: texts.restored } }

type Standing = Pick<JobDetail, 'status' | 'scheduledAt'>

/** The step that comes next; none when everything is done. */
export function nextStep({ status, scheduledAt }: Standing, isOffice: boolean): Action | undefined {
  if (status === 'Scheduled') return scheduledAt || !isOffice ? START : SCHEDULE
  if (status === 'In Progress') return DONE
  return status === 'Cancelled' && isOffice ? RESTORE : undefined
}

/** Times, crews and what is written down are the office's. */
const OF_THE_OFFICE: ReadonlySet<Action> = new Set([
  SCHEDULE,
  MOVE,
  UNSCHEDULE,
  REASSIGN,
  EDIT,
  REVIEW,
  CANCEL,
  RESTORE,
])

function everyStep({ status, scheduledAt }: Standing): Action[] {
  switch (status) {
    case 'Scheduled':
      return scheduledAt
        ? [ON_SITE, DONE, MOVE, REASSIGN, PHOTOS, EDIT, UNSCHEDULE, CANCEL]
        : [START, DONE, REASSIGN, PHOTOS, EDIT, CANCEL]
    case 'In Progress':
      return [ON_SITE, STOP, REASSIGN, PHOTOS, EDIT, CANCEL]
    case 'Completed':
      return [REVIEW, REOPEN, PHOTOS, EDIT]
    case 'Cancelled':
      return [PHOTOS]
  }
}

/** What else can be done, in the order it is asked for. */
export function otherSteps(job: Standing, isOffice: boolean): Action[] {
  const next = nextStep(job, isOffice)
  return everyStep(job).filter((action) => action !== next && (isOffice || !OF_THE_OFFICE.has(action)))
}
