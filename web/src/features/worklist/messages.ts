// The worklist's words.
import { t } from '@/lib/i18n'
import type { WorkItemAutoReply, WorkItemKind, WorkItemSource, WorkView } from './types'

/** How the first request of a person came in, before "12 min ago". */
const ASKED = {
  form: t('Asked by form'),
  text: t('Texted'),
  call: t('Called'),
  booking: t('Asked for a visit online'),
  estimate: t('Asked about an estimate'),
  job: t('Asked about a job'),
  invoice: t('Asked about an invoice'),
  review: t('Left a review'),
} as const satisfies Record<WorkItemSource, string>

/** Why somebody waits. */
const WHY = {
  emergency: t('Emergency'),
  call_back: t('Missed call'),
  confirm_request: t('Visit not confirmed yet'),
  send_estimate: t('Needs an estimate'),
  schedule: t('Estimate approved, not scheduled'),
  assign_crew: t('Visit without a crew'),
  send_invoice: t('Job done, no invoice sent'),
  collect: t('Invoice past due'),
  review_answer: t('Unhappy review, no answer'),
  held_request: t('Request on hold, check it'),
} as const satisfies Record<Exclude<WorkItemKind, 'answer'>, string>

/** An automatic answer is no answer of a person: they still wait. */
const AUTO_REPLIES = {
  sent: t('Auto-reply sent, no personal answer yet'),
  waiting: t('The auto-reply waits to be sent'),
  in_doubt: t("We can't tell if the auto-reply was delivered"),
  not_sent: t('The auto-reply was not sent'),
} as const satisfies Record<WorkItemAutoReply, string>

export const worklistMessages = {
  title: t('Next up'),
  asked: ASKED,
  why: WHY,
  autoReplies: AUTO_REPLIES,
  /** Written without a connection, in the outbox of this device. */
  onThisDevice: t('Your answer waits on this device, not sent yet'),
  noTexts: (why: string) => t('No texts: {why}', { why }),
  unknown: t('Unknown caller'),
  views: { next: t('Next'), snoozed: t('Snoozed'), done: t('Done') } as const satisfies Record<WorkView, string>,
  /** Names of the lists for screen readers. */
  lists: {
    next: t('Waiting for you, most urgent first'),
    snoozed: t('Snoozed'),
    done: t('Done'),
  } as const satisfies Record<WorkView, string>,
  keys: t('Keys in this list: J and K move, Enter acts, E done, S snooze, A assign, Z undo.'),
  /** Under 5 minutes, under an hour, longer. */
  ages: { success: t('Just in'), warning: t('Waiting'), error: t('Long wait') },
  failed: { title: t('Your list could not be loaded'), description: t('It did not arrive. Please try again.') },
  caughtUp: {
    title: t("You're all caught up"),
    mine: t('Nothing is assigned to you.'),
    none: t('No visits in the next 7 days.'),
  },
  empty: {
    snoozed: { title: t('Nothing is snoozed'), text: t('Snooze an item to bring it back later.') },
    done: { title: t('Nothing is done yet'), text: t('Items you mark as done show up here.') },
  },
  marked: { done: t('Marked as done'), snoozed: t('Snoozed') },
  notMarked: { title: t('Not changed'), description: t('Nothing was changed. Please try again.') },
  assigned: {
    failure: { title: t('Not assigned'), description: t('Nothing was changed. Please try again.') },
    nobody: t('No one'),
    teamFailed: { title: t('Your team could not be loaded'), description: t('It did not arrive. Please try again.') },
  },
  undone: {
    success: { title: t('Back on your list') },
    failure: { title: t('Not undone'), description: t('Nothing was changed. Please try again.') },
  },
  offline: {
    title: t('You are offline'),
    /** In the demonstration. */
    description: t('Done, snooze and assign need a connection. Nothing was changed.'),
    noUndo: t('Bringing an item back needs a connection. Nothing was changed.'),
    hint: t('You are offline. What you mark here is sent when you are back online.'),
    demoHint: t('You can read and call. Done, snooze and assign need a connection.'),
  },
  /** Marks that wait on this device. */
  pending: {
    done: (name: string) => t('{name}: marked as done', { name }),
    snoozed: (name: string, time: string) => t('{name}: snoozed until {time}', { name, time }),
    assigned: (name: string, member: string) => t('{name}: assigned to {member}', { name, member }),
    unassigned: (name: string) => t('{name}: assigned to no one', { name }),
  },
  alerts: {
    loadFailed: t('Your alerts could not be loaded.'),
  },
  tooFar: t('Choose a time within the next 60 days.'),
} as const
