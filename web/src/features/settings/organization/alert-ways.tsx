// By which ways a new request reaches somebody of the business now, and what customers are promised because of it.
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { formatPhone } from '@/lib/format/phone'
import { useCurrentUser } from '@/session/use-session'
import { Notice } from '@/ui/notice'
import { StateLine } from '@/ui/state-line'
import { settingsQueries } from '../queries'

type Way = Schema['AlertWay']

/** The name of a way: "Email to office@acme.example". */
function name({ by, to }: Way): string {
  if (by === 'push') return 'Alerts on devices'
  return by === 'sms' ? `Text to ${formatPhone(to ?? '')}` : `Email to ${to ?? ''}`
}

export function AlertWays() {
  const { orgId, orgTimezone } = useCurrentUser()
  const { data: told } = useQuery(settingsQueries.alertWays(orgId))
  if (!told) return null
  return (
    <section aria-label="How you hear of a new request" className="grid gap-2">
      {told.toldFrom == null && (
        <Notice tone="warning" title="No alert is on: we promise no time">
          Nobody would hear of a new request, so our texts, emails and the quote page tell customers no time for an
          answer. Turn on one of these ways.
        </Notice>
      )}
      <ul className="grid gap-1.5">
        {told.ways.map((way) => (
          <li key={`${way.by} ${way.to ?? ''}`}>
            <WayLine way={way} zone={orgTimezone} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function WayLine({ way, zone }: { way: Way; zone: string | undefined }) {
  if (way.from == null)
    return (
      <StateLine plain tone="warning" icon="alert">
        {name(way)}: off. {way.why}
      </StateLine>
    )
  if (way.why != null)
    return (
      <StateLine plain tone="neutral" icon="clock">
        {name(way)}: from {formatDateTime(way.from, zone)}. {way.why}
      </StateLine>
    )
  return (
    <StateLine plain tone="success" icon="check-circle">
      {name(way)}: at once
    </StateLine>
  )
}
