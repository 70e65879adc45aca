// Calendar months as `2026-11`.
import { formatLocale } from '@/lib/i18n'

/** Whether an address names a month that there is. */
export function isCalendarMonth(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)
}

/** The month so many months later. */
export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7)
}

const names = new Intl.DateTimeFormat(formatLocale(), { timeZone: 'UTC', month: 'long', year: 'numeric' })

/** `November 2026` */
export function formatCalendarMonth(month: string): string {
  return names.format(new Date(`${month}-15T12:00:00Z`))
}
