import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { Toggle } from '@/ui/toggle'
import { adminMessages } from '../messages'
import { useToggleAlert } from '../mutations'
import { adminQueries, type SecurityAlert } from '../queries'

const texts = adminMessages.alerts

export function AlertsCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const alerts = useQuery(adminQueries.alerts(orgId))
  return (
    <Card title={texts.title} icon="bell">
      <p className="mb-3 text-note text-muted">{texts.about}</p>
      <QueryBoundary
        query={alerts}
        skeleton={<SkeletonLines lines={8} />}
        errorText={texts.failed}
        timeZone={orgTimezone}
      >
        {(list) => (
          <ul aria-label={texts.title} className="divide-y divide-primary/22">
            {list.map((alert) => (
              <li key={alert.alertId} className="py-2 first:pt-0 last:pb-0">
                <AlertSwitch alert={alert} timeZone={orgTimezone} />
              </li>
            ))}
          </ul>
        )}
      </QueryBoundary>
    </Card>
  )
}

function AlertSwitch({
  alert: { alertId, name, description, enabled, lastFiredAt },
  timeZone,
}: {
  alert: SecurityAlert
  timeZone: string
}) {
  const change = useToggleAlert()
  const hint = lastFiredAt
    ? `${description} ${t('Last: {date}.', { date: formatDateTime(lastFiredAt, timeZone) })}`
    : description
  // Optimistic: shows the wanted state until the response; a failure restores the former one.
  const shown = change.isPending ? change.variables.enabled : enabled
  return (
    <Toggle
      label={name}
      hint={hint}
      checked={shown}
      onChange={(wanted) => change.mutate({ alertId, enabled: wanted })}
    />
  )
}
