// The one button of an item, and the page behind its name.
import { telHref } from '@/lib/format/phone'
import { pgettext, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import type { IconName } from '@/ui/icon'
import type { WorkItem, WorkItemAction } from '../types'

export type ItemAction = { label: string; icon: IconName } & ({ to: string } | { href: string })

const LABELS = {
  call: { label: t('Call'), icon: 'phone' },
  answer: { label: t('Answer'), icon: 'message' },
  book: { label: t('Book'), icon: 'calendar' },
  send_estimate: { label: t('Send estimate'), icon: 'send' },
  assign_crew: { label: t('Assign a crew'), icon: 'user' },
  send_invoice: { label: t('Send invoice'), icon: 'send' },
  collect: { label: t('Collect'), icon: 'dollar' },
  open: { label: pgettext('verb', 'Open'), icon: 'arrow-right' },
} as const satisfies Record<WorkItemAction, { label: string; icon: IconName }>

/** What each action asks of the page of a lead or a job. */
const PAGE_ACTIONS = {
  answer: 'answer',
  book: 'schedule',
  send_estimate: 'estimate',
  assign_crew: 'assign',
  send_invoice: 'invoice',
  collect: 'collect',
} as const satisfies Partial<Record<WorkItemAction, string>>

const CAN_BE_DIALED = /^\+?[\d\s().-]{3,}$/

/** The page about it. */
export function getItemPath({ kind, reviewId, invoiceId, jobId, leadId, customerId }: WorkItem): string {
  if (kind === 'review_answer' && reviewId) return paths.review(reviewId)
  if (kind === 'collect' && invoiceId) return paths.invoice(invoiceId)
  if ((kind === 'assign_crew' || kind === 'send_invoice') && jobId) return paths.job(jobId)
  if (leadId) return paths.lead(leadId)
  if (jobId) return paths.job(jobId)
  if (customerId) return paths.thread(customerId)
  return paths.app
}

const withAction = (path: string, action: WorkItemAction) =>
  action in PAGE_ACTIONS ? `${path}?do=${PAGE_ACTIONS[action as keyof typeof PAGE_ACTIONS]}` : path

/** A number that cannot be dialed, such as a masked one, leaves the page. */
export function getItemAction(item: WorkItem): ItemAction {
  const { action, phone, customerId } = item
  if (action === 'call' && phone && CAN_BE_DIALED.test(phone)) return { ...LABELS.call, href: telHref(phone) }
  if (action === 'call') return { ...LABELS.open, to: getItemPath(item) }
  if (item.kind === 'review_answer') return { ...LABELS.answer, to: getItemPath(item) }
  if (action === 'answer') {
    // Whose texts are stopped is answered by email or a call, from the conversation.
    const label = item.source === 'text' && !item.noText ? t('Text') : LABELS.answer.label
    return {
      ...LABELS.answer,
      label,
      to: withAction(customerId ? paths.thread(customerId) : getItemPath(item), action),
    }
  }
  return { ...LABELS[action], to: action === 'open' ? getItemPath(item) : withAction(getItemPath(item), action) }
}
