import type { Visit } from '@/features/schedule/types'

/** The first visit that has not begun. */
export function findNextVisit(jobs: readonly Visit[], now: number): Visit | undefined {
  return jobs
    .filter(({ date, status }) => date && status === 'Scheduled' && Date.parse(date) >= now)
    .toSorted((a, b) => Date.parse(a.date ?? '') - Date.parse(b.date ?? ''))[0]
}
