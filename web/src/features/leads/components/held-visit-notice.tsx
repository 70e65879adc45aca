// A visit that was asked for online and is not booked: what is true of its time, and what the office does next.
import { formatDateTime, formatTime } from '@/lib/format/date'
import { useIsBefore } from '@/lib/hooks/use-is-before'
import { t } from '@/lib/i18n'
import { Notice } from '@/ui/notice'
import { describeUnbookedVisit } from '../lib/unbooked-visit'
import type { LeadDetail } from '../queries'

type HeldVisit = NonNullable<LeadDetail['heldVisit']>

export function HeldVisitNotice({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  const { heldVisit, stage } = lead
  if (!heldVisit || stage === 'Scheduled' || stage === 'Done' || stage === 'Paid') return null
  return <UnbookedVisit lead={lead} visit={heldVisit} timeZone={timeZone} />
}

type UnbookedVisitProps = { lead: LeadDetail; visit: HeldVisit; timeZone: string }

function UnbookedVisit({ lead, visit: { startsAt, expiresAt, state }, timeZone }: UnbookedVisitProps) {
  const isBeforeEnd = useIsBefore(Date.parse(expiresAt))
  const title = t('Asked for a visit: {time}', { time: formatDateTime(startsAt, timeZone) })
  return state === 'held' && isBeforeEnd ? (
    <Notice tone="info" icon="clock" title={title}>
      {t('Held until {time}, waiting for their confirmation.', { time: formatTime(expiresAt, timeZone) })}
    </Notice>
  ) : (
    <Notice tone="warning" icon="clock" title={title}>
      {describeUnbookedVisit(state, lead)}
    </Notice>
  )
}
