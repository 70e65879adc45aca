// When an invoice is to be paid, in words.
import { dayWords } from '@/lib/format/day-words'
import type { InvoiceSummary } from '../types'

/** `12 days overdue`. */
export const overdueWords = (days: number) => (days === 1 ? '1 day overdue' : `${days} days overdue`)

/** `Due Dec 5, 2026`; what is settled or taken back is due no more. */
export function dueWords({
  status,
  dueOn,
  daysOverdue,
}: Pick<InvoiceSummary, 'status' | 'dueOn' | 'daysOverdue'>): string {
  if (status === 'overdue') return overdueWords(daysOverdue)
  if (!dueOn || status === 'paid' || status === 'void') return ''
  return `Due ${dayWords(dueOn)}`
}
