import { formatCalendarDay } from '@/lib/format/calendar-day'
import type { InvoiceSummary } from '../types'

/** `12 days overdue`. */
export const formatOverdue = (days: number) => (days === 1 ? '1 day overdue' : `${days} days overdue`)

/** `Due Dec 5, 2026`; settled and voided ones have no due date. */
export function formatDueDate({
  status,
  dueOn,
  daysOverdue,
}: Pick<InvoiceSummary, 'status' | 'dueOn' | 'daysOverdue'>): string {
  if (status === 'overdue') return formatOverdue(daysOverdue)
  if (!dueOn || status === 'paid' || status === 'void') return ''
  return `Due ${formatCalendarDay(dueOn)}`
}
