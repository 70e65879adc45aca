import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { getZoneDay, formatDayName, toInstant } from '@/lib/format/zone-time'
import { DateTimeFields } from './date-time-fields'

type ScheduleMessageSheetProps = {
  open: boolean
  onClose: () => void
  timeZone: string
  onPick: (instant: string) => void
}

export function ScheduleMessageSheet({ open, onClose, timeZone, onPick }: ScheduleMessageSheetProps) {
  const pick = (instant: string) => {
    onPick(instant)
    onClose()
  }
  return (
    <Dialog open={open} onClose={onClose} title={t('Send later')}>
      <div className="grid gap-4">
        <div className="grid gap-2">
          {morningPresets(timeZone).map(({ name, instant }) => (
            <Button
              key={instant}
              variant="secondary"
              icon="sun"
              className="justify-start"
              onClick={() => pick(instant)}
            >
              {t('{day}, 8:00 AM', { day: name })}
            </Button>
          ))}
        </div>
        <DateTimeFields timeZone={timeZone} action={t('Send at this time')} onPick={pick} />
      </div>
    </Dialog>
  )
}

/** Tomorrow and the next Monday, at the hour people are up. */
function morningPresets(timeZone: string) {
  const now = Date.now()
  const today = new Date(`${getZoneDay(timeZone, now)}T00:00:00Z`).getUTCDay()
  const toMonday = (8 - today) % 7 || 7
  return [...new Set([1, toMonday])].map((later) => {
    const instant = toInstant(timeZone, getZoneDay(timeZone, now, later), '08:00')
    return { name: formatDayName(timeZone, instant.getTime(), now), instant: instant.toISOString() }
  })
}
