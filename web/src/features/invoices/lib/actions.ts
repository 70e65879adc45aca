// Actions by invoice state, the next one first.
import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import type { InvoiceSummary } from '../types'

/** Actions with a sheet of their own, and immediate ones. */
export type InvoiceActionName =
  | 'send'
  | 'payment'
  | 'edit'
  | 'promise'
  | 'unpromise'
  | 'dispute'
  | 'resolve'
  | 'link'
  | 'void'
  | 'remove'

export type InvoiceAction = { name: InvoiceActionName; label: string; icon: IconName; isDanger?: boolean }

const SEND: InvoiceAction = { name: 'send', label: t('Send invoice'), icon: 'send' }
const SEND_AGAIN: InvoiceAction = { name: 'send', label: t('Send again'), icon: 'send' }
const PAYMENT: InvoiceAction = { name: 'payment', label: t('Record payment'), icon: 'dollar' }
const EDIT: InvoiceAction = { name: 'edit', label: t('Edit draft'), icon: 'pencil' }
const PROMISE: InvoiceAction = { name: 'promise', label: t('Promise to pay'), icon: 'calendar' }
const UNPROMISE: InvoiceAction = { name: 'unpromise', label: t('Remove the promise'), icon: 'calendar' }
const DISPUTE: InvoiceAction = { name: 'dispute', label: t('Disputed by the customer'), icon: 'alert' }
const RESOLVE: InvoiceAction = { name: 'resolve', label: t('Dispute is settled'), icon: 'check' }
const LINK: InvoiceAction = { name: 'link', label: t('New link'), icon: 'refresh' }
const VOID: InvoiceAction = { name: 'void', label: t('Void invoice'), icon: 'close', isDanger: true }
const REMOVE: InvoiceAction = { name: 'remove', label: t('Throw the draft away'), icon: 'trash', isDanger: true }

type InvoiceState = Pick<InvoiceSummary, 'status' | 'promisedOn' | 'disputedAt'>

/** The first is the next step. */
export function getInvoiceActions({ status, promisedOn, disputedAt }: InvoiceState): InvoiceAction[] {
  if (status === 'draft') return [SEND, EDIT, REMOVE]
  if (status === 'paid') return [VOID]
  if (status !== 'open' && status !== 'overdue') return []
  return [PAYMENT, SEND_AGAIN, PROMISE, ...(promisedOn ? [UNPROMISE] : []), disputedAt ? RESOLVE : DISPUTE, LINK, VOID]
}
