import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { formatDayTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { getZoneDay, toInstant } from '@/lib/format/zone-time'
import { DateTimeFields } from './date-time-fields'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type SnoozeOptionsProps = { until: string | null; timeZone: string; onPick: (until: string | null) => void }

export function SnoozeOptions({ until, timeZone, onPick }: SnoozeOptionsProps) {
  const [isPicking, setIsPicking] = useState(false)
  const now = useNow(MINUTE_MS)
  const isSnoozed = until !== null && Date.parse(until) > now
  const tomorrow = () => toInstant(timeZone, getZoneDay(timeZone, Date.now(), 1), '08:00').toISOString()
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{t('Snooze')}</h3>
      {isSnoozed && (
        <p className="text-note text-muted">
          {t('Comes back {time}, or as soon as they write.', { time: formatDayTime(until, timeZone, now) })}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {isSnoozed && (
          <Button variant="secondary" icon="inbox" onClick={() => onPick(null)}>
            {t('Bring it back')}
          </Button>
        )}
        <Button variant="secondary" onClick={() => onPick(new Date(Date.now() + HOUR_MS).toISOString())}>
          {t('1 hour')}
        </Button>
        <Button variant="secondary" onClick={() => onPick(tomorrow())}>
          {t('Tomorrow 8:00 AM')}
        </Button>
        <Button variant="secondary" aria-expanded={isPicking} onClick={() => setIsPicking(!isPicking)}>
          {t('Pick a time')}
        </Button>
      </div>
      {isPicking && <DateTimeFields timeZone={timeZone} action={t('Snooze until then')} onPick={onPick} />}
    </section>
  )
}
