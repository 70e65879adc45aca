// Alerts nobody has seen yet: they climb to the next way or person until somebody has.
import { useQuery } from '@tanstack/react-query'
import { LinkButton, Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { paths } from '@/app/paths'
import { formatTime } from '@/lib/format/date'
import type { Schema } from '@/api/client'
import { useCurrentUser } from '@/session/use-session'
import { useSeeAlert } from '../mutations'
import { leadQueries } from '../queries'

const MOST_SHOWN = 3

export function OpenAlerts() {
  const { orgId, orgTimezone } = useCurrentUser()
  const { data = [] } = useQuery(leadQueries.alertList(orgId))
  const open = data.filter(({ seenAt }) => !seenAt)
  if (open.length === 0) return null
  return (
    <section aria-label="Alerts" className="grid gap-3">
      {open.slice(0, MOST_SHOWN).map((alert) => <OpenAlert key={alert.id} alert={alert} timeZone={orgTimezone} />)}
      {open.length > MOST_SHOWN && <p className="text-note text-muted">and {open.length - MOST_SHOWN} more</p>}
    </section>
  )
}

function OpenAlert({ alert, timeZone }: { alert: Schema['Alert']; timeZone: string }) {
  const see = useSeeAlert()
  return (
    <Notice tone={alert.isUrgent ? 'error' : 'info'} icon="bell" title={alert.title}>
      <p className="wrap-anywhere">{alert.body}</p>
      <p className="text-caption text-muted">Since {formatTime(alert.createdAt, timeZone)}{alert.climbsAt && `, goes on to the next person at ${formatTime(alert.climbsAt, timeZone)}`}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        {alert.leadId && <LinkButton to={paths.lead(alert.leadId)} icon="arrow-right">Open</LinkButton>}
        <Button variant="secondary" icon="check" pending={see.isPending} onClick={() => see.mutate(alert.id)}>Seen</Button>
      </div>
    </Notice>
  )
}
