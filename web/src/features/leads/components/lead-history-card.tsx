import type { WorkEvent } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { Icon, type IconName } from '@/ui/icon'
import { describeWorkEvent } from '@/features/documents/work-event-text'
import type { LeadDetail } from '../queries'

/** So many are in sight; the rest is folded away. */
const MAX_VISIBLE = 5

const ICONS: Readonly<Partial<Record<WorkEvent['kind'], IconName>>> = {
  stage_changed: 'arrow-right',
  estimate_sent: 'send',
  estimate_viewed: 'eye',
  estimate_approved: 'check-circle',
  estimate_declined: 'close',
  estimate_asked: 'message',
  estimate_replaced: 'refresh',
  estimate_withdrawn: 'close',
  change_order_sent: 'send',
  change_order_viewed: 'eye',
  change_order_approved: 'check-circle',
  change_order_declined: 'close',
  change_order_asked: 'message',
  change_order_replaced: 'refresh',
  change_order_withdrawn: 'close',
  job_created: 'briefcase',
  job_scheduled: 'calendar',
  job_moved: 'calendar',
  job_unscheduled: 'calendar',
  job_assigned: 'user',
  owner_changed: 'user',
  on_my_way: 'pin',
  running_late: 'clock',
  files_added: 'camera',
  photo_refused: 'camera',
  note_added: 'document',
  completed: 'check',
  cancelled: 'close',
  booked: 'calendar',
  invoice_made: 'document',
  invoice_sent: 'send',
  invoice_viewed: 'eye',
  invoice_asked: 'message',
  invoice_voided: 'close',
  promise_set: 'calendar',
  dispute_set: 'alert',
  payment_recorded: 'dollar',
  payment_failed: 'alert',
  payment_undone: 'arrow-left',
  refunded: 'arrow-left',
  refund_settled: 'arrow-left',
  written_off: 'close',
  reminder_sent: 'bell',
}

type LeadHistoryCardProps = { lead: LeadDetail; timeZone: string }

export function LeadHistoryCard({ lead: { events }, timeZone }: LeadHistoryCardProps) {
  if (events.length === 0) return null
  const newest = events.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  const list = (some: readonly WorkEvent[]) => (
    <ol className="grid gap-3">
      {some.map((event) => (
        <EventItem key={event.id} event={event} timeZone={timeZone} />
      ))}
    </ol>
  )
  const earlier = newest.slice(MAX_VISIBLE)
  return (
    <Card title={t('What happened')} icon="clock">
      <div className="grid gap-3">
        {list(newest.slice(0, MAX_VISIBLE))}
        {earlier.length > 0 && (
          <Disclosure summary={t('{count} earlier', { count: earlier.length })}>{list(earlier)}</Disclosure>
        )}
      </div>
    </Card>
  )
}

function EventItem({ event, timeZone }: { event: WorkEvent; timeZone: string }) {
  const { title, by, at, undone } = event
  const how = describeWorkEvent(event, timeZone)
  return (
    <li className="flex gap-3">
      <Icon
        name={ICONS[event.kind] ?? 'check'}
        className={classNames('mt-0.5', undone ? 'text-muted' : 'text-primary')}
      />
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className={classNames('font-semibold', undone && 'text-muted line-through')}>{title}</span>
          {undone && <span className="text-muted"> {t('(undone)')}</span>}
        </p>
        {how !== '' && <p className="text-note wrap-anywhere">{how}</p>}
        <p className="text-note text-muted">
          {by}, {formatDateTime(at, timeZone)}
        </p>
      </div>
    </li>
  )
}
