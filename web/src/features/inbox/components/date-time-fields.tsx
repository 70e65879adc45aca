import { useId, useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { StatusLine } from '@/ui/status-line'
import { getZoneDay, toInstant, getZoneTime } from '@/lib/format/zone-time'

const HOUR_MS = 3_600_000

type DateTimeFieldsProps = { timeZone: string; action: string; onPick: (instant: string) => void }

export function DateTimeFields({ timeZone, action, onPick }: DateTimeFieldsProps) {
  const id = useId()
  const [day, setDay] = useState(() => getZoneDay(timeZone, Date.now() + HOUR_MS))
  const [time, setTime] = useState(() => getZoneTime(timeZone, Date.now() + HOUR_MS))
  const [today] = useState(() => getZoneDay(timeZone, Date.now()))
  const [error, setFault] = useState<string>()
  const pick = () => {
    if (day === '' || time === '') return setFault(t('Choose a day and a time.'))
    const instant = toInstant(timeZone, day, time)
    if (instant.getTime() <= Date.now()) return setFault(t('That time is over already. Choose a later one.'))
    onPick(instant.toISOString())
  }
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-2 gap-3">
        <label htmlFor={`${id}-day`} className="grid gap-1.5 font-semibold">
          {t('Day')}
          <input
            id={`${id}-day`}
            type="date"
            className="input"
            min={today}
            value={day}
            onChange={(event) => setDay(event.target.value)}
          />
        </label>
        <label htmlFor={`${id}-time`} className="grid gap-1.5 font-semibold">
          {t('Time')}
          <input
            id={`${id}-time`}
            type="time"
            className="input"
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
        </label>
      </div>
      <p className="text-caption text-muted">
        {t('On the clock of your business ({zone}).', { zone: timeZone.replaceAll('_', ' ') })}
      </p>
      {error && (
        <div role="alert">
          <StatusLine tone="error" icon="alert">
            {error}
          </StatusLine>
        </div>
      )}
      <Button icon="clock" wide onClick={pick}>
        {action}
      </Button>
    </div>
  )
}
