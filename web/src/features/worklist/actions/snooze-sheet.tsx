import { useState } from 'react'
import { DateTimeFields } from '@/features/inbox/components/date-time-fields'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { StatusLine } from '@/ui/status-line'
import { getName } from '../lib/describe-item'
import { getSnoozeTimes, MAX_SNOOZE_MS } from '../lib/snooze-times'
import { worklistMessages as texts } from '../messages'
import type { WorkItem } from '../types'

const MINUTE_MS = 60_000

type SnoozeSheetProps = { item: WorkItem; onClose: () => void; onPick: (until: string) => void }

export function SnoozeSheet({ item, onClose, onPick }: SnoozeSheetProps) {
  const { orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const [isPicking, setIsPicking] = useState(false)
  const [isTooFar, setIsTooFar] = useState(false)
  const pick = (until: string) => {
    if (Date.parse(until) - now > MAX_SNOOZE_MS) return setIsTooFar(true)
    onClose()
    onPick(until)
  }
  return (
    <Dialog open onClose={onClose} title={t('Snooze {name}', { name: getName(item) })}>
      <div className="grid gap-2">
        {getSnoozeTimes(orgTimezone, now).map(({ label, until }) => (
          <Button
            key={label}
            variant="secondary"
            icon="clock"
            wide
            className="justify-start"
            onClick={() => pick(until)}
          >
            {label}
          </Button>
        ))}
        <Button
          variant="secondary"
          icon="calendar"
          wide
          className="justify-start"
          aria-expanded={isPicking}
          onClick={() => setIsPicking(!isPicking)}
        >
          {t('Pick a time')}
        </Button>
        {isPicking && <DateTimeFields timeZone={orgTimezone} action={t('Snooze until then')} onPick={pick} />}
        {isTooFar && (
          <div role="alert">
            <StatusLine tone="error" icon="alert">
              {texts.tooFar}
            </StatusLine>
          </div>
        )}
      </div>
    </Dialog>
  )
}
