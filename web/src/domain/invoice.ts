// Invoice states: label, tone, icon.
import type { Schema } from '@/api/client'
import type { Tone } from './tone'

export type InvoiceStatus = Schema['InvoiceState']

type StatusDisplay = { label: string; tone: Tone; icon: string }

export const INVOICE_STATUSES = {
  draft: { label: 'Draft', tone: 'neutral', icon: 'pencil' },
  preparing: { label: 'Being made', tone: 'info', icon: 'clock' },
  open: { label: 'Open', tone: 'info', icon: 'document' },
  overdue: { label: 'Overdue', tone: 'error', icon: 'alert' },
  paid: { label: 'Paid', tone: 'success', icon: 'check-circle' },
  void: { label: 'Void', tone: 'neutral', icon: 'close' },
} as const satisfies Record<InvoiceStatus, StatusDisplay>

/** List filters. */
export const INVOICE_FILTERS = ['draft', 'open', 'overdue', 'unpaid', 'paid', 'void'] as const satisfies readonly (
  | InvoiceStatus
  | 'unpaid'
)[]
export type InvoiceFilter = (typeof INVOICE_FILTERS)[number]

/** Orders of the list, the default first. */
export const INVOICE_SORTS = {
  newest: 'Newest first',
  due: 'Due first',
  amount: 'Highest amount',
} as const
export type InvoiceSort = keyof typeof INVOICE_SORTS
export const DEFAULT_INVOICE_SORT: InvoiceSort = 'newest'
