// A visit asked for online that its sender has not confirmed: how long its time is held, and that it is free again.
import { formatDateTime, formatTime } from '@/lib/format/date'
import { useIsBefore } from '@/lib/hooks/use-is-before'
import { Notice } from '@/ui/notice'
import type { LeadDetail } from '../queries'

type HeldVisit = NonNullable<LeadDetail['heldVisit']>

export function HeldVisitNotice({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  const { heldVisit, stage } = lead
  if (!heldVisit || stage === 'Scheduled' || stage === 'Done' || stage === 'Paid') return null
  return <UnconfirmedVisit visit={heldVisit} timeZone={timeZone} />
}

function UnconfirmedVisit({ visit: { startsAt, expiresAt }, timeZone }: { visit: HeldVisit; timeZone: string }) {
  const isHeld = useIsBefore(Date.parse(expiresAt))
  const title = `Asked for a visit: ${formatDateTime(startsAt, timeZone)}`
  return isHeld ? (
    <Notice tone="info" icon="clock" title={title}>
      Held until {formatTime(expiresAt, timeZone)}, waiting for their confirmation.
    </Notice>
  ) : (
    <Notice tone="warning" icon="clock" title={title}>
      They did not confirm in time. The time is free again: call or text them.
    </Notice>
  )
}
