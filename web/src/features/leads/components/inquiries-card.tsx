import type { Schema } from '@/api/client'
import { isServiceChosen, LEAD_FORMS, serviceLabel } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'

type InquiriesCardProps = { touches: readonly Schema['Touch'][]; timeZone: string }

export function InquiriesCard({ touches, timeZone }: InquiriesCardProps) {
  const [first, ...later] = touches
  if (!first || (later.length === 0 && !first.name)) return null
  return (
    <Card
      title={later.length > 0 ? t('Got in touch {count} times', { count: touches.length }) : t('As it was typed')}
      icon="refresh"
    >
      {later.length > 0 && (
        <p className="mb-4 text-note text-muted">
          {t(
            'Each request, text and missed call of this person while the lead was open. It stays one lead, and the automatic reply goes out once.',
          )}
        </p>
      )}
      <ol className="grid gap-4">
        {touches.map((touch) => (
          <li key={touch.id} className="border-l-2 border-accent/55 pl-3">
            <p className="text-note text-muted tabular-nums">
              {formatDateTime(touch.at, timeZone)}, {LEAD_FORMS[touch.form]}
            </p>
            {touch.name && (
              <p className="wrap-anywhere">{t('Name typed in this request: {name}', { name: touch.name })}</p>
            )}
            {isServiceChosen(touch) && <p className="font-semibold">{serviceLabel(touch.service)}</p>}
            {touch.notes && <p className="max-w-[68ch] wrap-anywhere whitespace-pre-line">{touch.notes}</p>}
            {touch.address && <p className="text-note text-muted">{touch.address}</p>}
            {touch.photoIds.length > 0 && (
              <p className="text-note text-muted">{plural(touch.photoIds.length, '{count} photo', '{count} photos')}</p>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}
