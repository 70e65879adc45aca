import {
  JOB_PRIORITIES,
  JOB_DETAIL_PRIORITIES,
  getJobStatus,
  type JobPriority,
  type JobDetailPriority,
  type JobStatus,
} from '@/domain/job'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import type { JobSummary } from '../types'

type StatusBadgeProps = { status: JobStatus; isScheduled?: boolean; isOnTheWay?: boolean }

export function StatusBadge({ status, isScheduled = true, isOnTheWay = false }: StatusBadgeProps) {
  const { label, tone, icon } = getJobStatus(status, isScheduled, isOnTheWay)
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  )
}

export function PriorityBadge({ priority }: { priority: JobPriority }) {
  const { label, tone, icon } = JOB_PRIORITIES[priority]
  return (
    <Badge tone={tone} icon={icon}>
      <span className="sr-only">{t('Priority:')} </span>
      {label}
    </Badge>
  )
}

export function DetailPriorityBadge({ rank }: { rank: JobDetailPriority }) {
  const { label, tone, icon } = JOB_DETAIL_PRIORITIES[rank]
  return (
    <Badge tone={tone} icon={icon}>
      <span className="sr-only">{t('Priority:')} </span>
      {label}
    </Badge>
  )
}

/** The customer's card was declined and nothing was paid since; shown to planners and crew. */
export function CardDeclinedBadge({ job: { paymentFailed } }: { job: Pick<JobSummary, 'paymentFailed'> }) {
  return paymentFailed ? (
    <Badge tone="error" icon="dollar">
      {t('Card refused')}
    </Badge>
  ) : null
}
