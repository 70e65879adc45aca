import { t } from '@/lib/i18n'

/** `45 min`, `2 h`, `1 h 30 min` */
export function formatDuration(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const parts = [
    hours > 0 && t('{hours} h', { hours }),
    (rest > 0 || hours === 0) && t('{minutes} min', { minutes: rest }),
  ]
  return parts.filter(Boolean).join(' ')
}
