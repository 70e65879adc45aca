import { INVOICE_STATUSES } from '@/domain/invoice'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import type { InvoiceSummary } from '../types'

export function InvoiceBadges({
  invoice: { status, disputedAt, promisedOn, paid, balance },
}: {
  invoice: InvoiceSummary
}) {
  const { label, tone, icon } = INVOICE_STATUSES[status]
  const isAsked = status === 'open' || status === 'overdue'
  return (
    <>
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
      {isAsked && paid > 0 && balance > 0 && (
        <Badge tone="accent" icon="dollar">
          {t('Partly paid')}
        </Badge>
      )}
      {isAsked && disputedAt && (
        <Badge tone="warning" icon="alert">
          {t('Disputed')}
        </Badge>
      )}
      {isAsked && promisedOn && (
        <Badge tone="info" icon="calendar">
          {t('Promised by {day}', { day: formatCalendarDay(promisedOn) })}
        </Badge>
      )}
    </>
  )
}
