// What can be done with an invoice as it stands: the one next step, and the rest.
import type { IconName } from '@/ui/icon'
import type { InvoiceSummary } from '../types'

/** What opens a sheet of its own, and what is simply done. */
export type ActionName =
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

export type Action = { name: ActionName; label: string; icon: IconName; isDanger?: boolean }

const SEND: Action = { name: 'send', label: 'Send invoice', icon: 'send' }
const AGAIN: Action = { name: 'send', label: 'Send again', icon: 'send' }
const PAYMENT: Action = { name: 'payment', label: 'Record payment', icon: 'dollar' }
const EDIT: Action = { name: 'edit', label: 'Edit draft', icon: 'pencil' }
const PROMISE: Action = { name: 'promise', label: 'Promise to pay', icon: 'calendar' }
const UNPROMISE: Action = { name: 'unpromise', label: 'Remove the promise', icon: 'calendar' }
const DISPUTE: Action = { name: 'dispute', label: 'Disputed by the customer', icon: 'alert' }
const RESOLVE: Action = { name: 'resolve', label: 'Dispute is settled', icon: 'check' }
const LINK: Action = { name: 'link', label: 'New link', icon: 'refresh' }
const VOID: Action = { name: 'void', label: 'Void invoice', icon: 'close', isDanger: true }
const REMOVE: Action = { name: 'remove', label: 'Throw the draft away', icon: 'trash', isDanger: true }

type Standing = Pick<InvoiceSummary, 'status' | 'promisedOn' | 'disputedAt'>

/** The first is the next step. */
export function actionsFor({ status, promisedOn, disputedAt }: Standing): Action[] {
  if (status === 'draft') return [SEND, EDIT, REMOVE]
  if (status === 'paid') return [VOID]
  if (status !== 'open' && status !== 'overdue') return []
  return [PAYMENT, AGAIN, PROMISE, ...(promisedOn ? [UNPROMISE] : []), disputedAt ? RESOLVE : DISPUTE, LINK, VOID]
}
