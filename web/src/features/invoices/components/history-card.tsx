import { formatDateTime } from '@/lib/format/date'
import { describeWorkEvent } from '@/features/documents/work-event-text'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import type { InvoiceView } from '../types'

export function InvoiceHistoryCard({ invoice: { events }, timeZone }: { invoice: InvoiceView; timeZone: string }) {
  if (events.length === 0) return null
  return (
    <Card title={t('What happened')} icon="clock">
      <ol className="grid gap-3">
        {events
          .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
          .map((event) => {
            const how = describeWorkEvent(event, timeZone)
            return (
              <li key={event.id}>
                <p className="wrap-anywhere">
                  <span className={event.undone ? 'font-semibold text-muted line-through' : 'font-semibold'}>
                    {event.title}
                  </span>
                  {event.undone && <span className="text-muted"> {t('(undone)')}</span>}
                </p>
                {how !== '' && <p className="text-note wrap-anywhere">{how}</p>}
                <p className="text-note text-muted">
                  {event.by}, {formatDateTime(event.at, timeZone)}
                </p>
              </li>
            )
          })}
      </ol>
    </Card>
  )
}
