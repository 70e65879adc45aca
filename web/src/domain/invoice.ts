// Invoice states: label, tone, icon.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import type { Tone } from './tone'

export type InvoiceStatus = Schema['InvoiceState']

type StatusDisplay = { label: string; tone: Tone; icon: string }

export const INVOICE_STATUSES = {
  draft: { label: t('Draft'), tone: 'neutral', icon: 'pencil' },
  preparing: { label: t('Being made'), tone: 'info', icon: 'clock' },
  open: { label: t('Open'), tone: 'info', icon: 'document' },
  overdue: { label: t('Overdue'), tone: 'error', icon: 'alert' },
  paid: { label: t('Paid'), tone: 'success', icon: 'check-circle' },
  void: { label: t('Void'), tone: 'neutral', icon: 'close' },
} as const satisfies Record<InvoiceStatus, StatusDisplay>

/** List filters. */
export const INVOICE_FILTERS = ['draft', 'open', 'overdue', 'unpaid', 'paid', 'void'] as const satisfies readonly (
  | InvoiceStatus
  | 'unpaid'
)[]
export type InvoiceFilter = (typeof INVOICE_FILTERS)[number]

/** Orders of the list, the default first. */
export const INVOICE_SORTS = {
  newest: t('Newest first'),
  due: t('Due first'),
  amount: t('Highest amount'),
} as const
export type InvoiceSort = keyof typeof INVOICE_SORTS
export const DEFAULT_INVOICE_SORT: InvoiceSort = 'newest'
