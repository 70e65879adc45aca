import { formatCalendarDay } from '@/lib/format/calendar-day'
import { plural, t } from '@/lib/i18n'
import type { InvoiceSummary } from '../types'

/** `12 days overdue`. */
export const formatOverdue = (days: number) => plural(days, '{count} day overdue', '{count} days overdue')

/** `Due Dec 5, 2026`; settled and voided ones have no due date. */
export function formatDueDate({
  status,
  dueOn,
  daysOverdue,
}: Pick<InvoiceSummary, 'status' | 'dueOn' | 'daysOverdue'>): string {
  if (status === 'overdue') return formatOverdue(daysOverdue)
  if (!dueOn || status === 'paid' || status === 'void') return ''
  return t('Due {day}', { day: formatCalendarDay(dueOn) })
}
