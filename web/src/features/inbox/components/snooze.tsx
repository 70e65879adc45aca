// Puts a conversation off: for an hour, until tomorrow morning, or until a chosen time.
import { useState } from 'react'
import { Button } from '@/ui/button'
import { dayAndTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { dayIn, instantIn } from '@/lib/format/zone-time'
import { WhenFields } from './when-fields'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type SnoozeProps = { until: string | null; timeZone: string; onPick: (until: string | null) => void }

export function Snooze({ until, timeZone, onPick }: SnoozeProps) {
  const [isPicking, setIsPicking] = useState(false)
  const now = useNow(MINUTE_MS)
  const isSnoozed = until !== null && Date.parse(until) > now
  const tomorrow = () => instantIn(timeZone, dayIn(timeZone, Date.now(), 1), '08:00').toISOString()
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">Snooze</h3>
      {isSnoozed && (
        <p className="text-note text-muted">Comes back {dayAndTime(until, timeZone, now)}, or as soon as they write.</p>
      )}
      <div className="flex flex-wrap gap-2">
        {isSnoozed && (
          <Button variant="secondary" icon="inbox" onClick={() => onPick(null)}>
            Bring it back
          </Button>
        )}
        <Button variant="secondary" onClick={() => onPick(new Date(Date.now() + HOUR_MS).toISOString())}>
          1 hour
        </Button>
        <Button variant="secondary" onClick={() => onPick(tomorrow())}>
          Tomorrow 8:00 AM
        </Button>
        <Button variant="secondary" aria-expanded={isPicking} onClick={() => setIsPicking(!isPicking)}>
          Pick a time
        </Button>
      </div>
      {isPicking && <WhenFields timeZone={timeZone} action="Snooze until then" onPick={onPick} />}
    </section>
  )
}
