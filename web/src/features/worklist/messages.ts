// The worklist's words.
import type { WorkItemAutoReply, WorkItemKind, WorkItemSource, WorkView } from './types'

/** How the first request of a person came in, before "12 min ago". */
const ASKED = {
  form: 'Asked by form',
  text: 'Texted',
  call: 'Called',
  booking: 'Asked for a visit online',
  estimate: 'Asked about an estimate',
  job: 'Asked about a job',
  invoice: 'Asked about an invoice',
  review: 'Left a review',
} as const satisfies Record<WorkItemSource, string>

/** Why somebody waits. */
const WHY = {
  emergency: 'Emergency',
  call_back: 'Missed call',
  confirm_request: 'Visit not confirmed yet',
  send_estimate: 'Needs an estimate',
  schedule: 'Estimate approved, not scheduled',
  assign_crew: 'Visit without a crew',
  send_invoice: 'Job done, no invoice sent',
  collect: 'Invoice past due',
  review_answer: 'Unhappy review, no answer',
  held_request: 'Request on hold, check it',
} as const satisfies Record<Exclude<WorkItemKind, 'answer'>, string>

/** An automatic answer is no answer of a person: they still wait. */
const AUTO_REPLIES = {
  sent: 'Auto-reply sent, no personal answer yet',
  waiting: 'The auto-reply waits to be sent',
  in_doubt: "We can't tell if the auto-reply was delivered",
  not_sent: 'The auto-reply was not sent',
} as const satisfies Record<WorkItemAutoReply, string>

export const worklistMessages = {
  title: 'Next up',
  asked: ASKED,
  why: WHY,
  autoReplies: AUTO_REPLIES,
  /** Written without a connection, in the outbox of this device. */
  onThisDevice: 'Your answer waits on this device, not sent yet',
  noTexts: (why: string) => `No texts: ${why}`,
  unknown: 'Unknown caller',
  views: { next: 'Next', snoozed: 'Snoozed', done: 'Done' } as const satisfies Record<WorkView, string>,
  /** Names of the lists for screen readers. */
  lists: {
    next: 'Waiting for you, most urgent first',
    snoozed: 'Snoozed',
    done: 'Done',
  } as const satisfies Record<WorkView, string>,
  keys: 'Keys in this list: J and K move, Enter acts, E done, S snooze, A assign, Z undo.',
  /** Under 5 minutes, under an hour, longer. */
  ages: { success: 'Just in', warning: 'Waiting', error: 'Long wait' },
  failed: { title: 'Your list could not be loaded', description: 'It did not arrive. Please try again.' },
  caughtUp: {
    title: "You're all caught up",
    mine: 'Nothing is assigned to you.',
    none: 'No visits in the next 7 days.',
  },
  empty: {
    snoozed: { title: 'Nothing is snoozed', text: 'Snooze an item to bring it back later.' },
    done: { title: 'Nothing is done yet', text: 'Items you mark as done show up here.' },
  },
  marked: { done: 'Marked as done', snoozed: 'Snoozed' },
  notMarked: { title: 'Not changed', description: 'Nothing was changed. Please try again.' },
  assigned: {
    failure: { title: 'Not assigned', description: 'Nothing was changed. Please try again.' },
    nobody: 'No one',
    teamFailed: { title: 'Your team could not be loaded', description: 'It did not arrive. Please try again.' },
  },
  undone: {
    success: { title: 'Back on your list' },
    failure: { title: 'Not undone', description: 'Nothing was changed. Please try again.' },
  },
  offline: {
    title: 'You are offline',
    description: 'Done, snooze and assign need a connection. Nothing was changed.',
    hint: 'You can read and call. Done, snooze and assign need a connection.',
  },
  alerts: {
    loadFailed: 'Your alerts could not be loaded.',
  },
  tooFar: 'Choose a time within the next 60 days.',
} as const
