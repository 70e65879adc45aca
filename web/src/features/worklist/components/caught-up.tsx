// Nobody waits: what comes next.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { serviceLabel } from '@/domain/lead'
import { formatDayTime, getZoneDay } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { scheduleQueries } from '@/features/schedule/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { findNextVisit } from '../lib/next-visit'
import { worklistMessages as texts } from '../messages'

const MINUTE_MS = 60_000
const DAYS = 7

export function CaughtUp({ isMine }: { isMine: boolean }) {
  return (
    <div className="glass-card" role="status">
      <EmptyState
        icon="check-circle"
        title={texts.caughtUp.title}
        action={
          <LinkButton to={paths.schedule} variant="secondary" icon="calendar">
            {t('Open schedule')}
          </LinkButton>
        }
      >
        {isMine && <p>{texts.caughtUp.mine}</p>}
        <NextVisit />
      </EmptyState>
    </div>
  )
}

function NextVisit() {
  const { orgId, orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const { data } = useQuery(scheduleQueries.range(orgId, { from: getZoneDay(orgTimezone, now), days: DAYS }))
  if (!data) return null
  const visit = findNextVisit(data.jobs, now)
  if (!visit?.date) return <p>{texts.caughtUp.none}</p>
  return (
    <p>
      {t('Next visit:')}{' '}
      <Link to={paths.job(visit.id)} className="text-link wrap-anywhere">
        {formatDayTime(visit.date, orgTimezone, now)}, {visit.customer}
      </Link>
      , {serviceLabel(visit.service)}
    </p>
  )
}
