// When a message is to leave.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { dayIn, dayName, instantIn } from '@/lib/format/zone-time'
import { WhenFields } from './when-fields'

type LaterSheetProps = { open: boolean; onClose: () => void; timeZone: string; onPick: (instant: string) => void }

export function LaterSheet({ open, onClose, timeZone, onPick }: LaterSheetProps) {
  const pick = (instant: string) => {
    onPick(instant)
    onClose()
  }
  return (
    <Dialog open={open} onClose={onClose} title="Send later">
      <div className="grid gap-4">
        <div className="grid gap-2">
          {mornings(timeZone).map(({ name, instant }) => (
            <Button
              key={instant}
              variant="secondary"
              icon="sun"
              className="justify-start"
              onClick={() => pick(instant)}
            >
              {name}, 8:00 AM
            </Button>
          ))}
        </div>
        <WhenFields timeZone={timeZone} action="Send at this time" onPick={pick} />
      </div>
    </Dialog>
  )
}

/** Tomorrow and the next Monday, at the hour people are up. */
function mornings(timeZone: string) {
  const now = Date.now()
  const today = new Date(`${dayIn(timeZone, now)}T00:00:00Z`).getUTCDay()
  const toMonday = (8 - today) % 7 || 7
  return [...new Set([1, toMonday])].map((later) => {
    const instant = instantIn(timeZone, dayIn(timeZone, now, later), '08:00')
    return { name: dayName(timeZone, instant.getTime(), now), instant: instant.toISOString() }
  })
}
