// Alerts in one line, however many there are.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { classNames } from '@/lib/class-names'
import { formatCount } from '@/lib/format/number'
import { MarkSeenButton } from '@/features/leads/components/mark-seen-button'
import { OpenAlerts } from '@/features/leads/components/open-alerts'
import { leadsMessages } from '@/features/leads/messages'
import { leadQueries } from '@/features/leads/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { worklistMessages as texts } from '../messages'

export function AlertSummary() {
  const { orgId } = useCurrentUser()
  const alerts = useQuery(leadQueries.alertList(orgId))
  const open = alerts.data?.filter(({ seenAt }) => !seenAt) ?? []
  if (alerts.error && !alerts.data)
    return (
      <p role="alert" className="flex flex-wrap items-center justify-between gap-2 text-note text-warning">
        {texts.alerts.loadFailed}
        <Button variant="ghost" icon="refresh" pending={alerts.isFetching} onClick={() => void alerts.refetch()}>
          {t('Try again')}
        </Button>
      </p>
    )
  return open.length === 0 ? null : (
    <AlertLine ids={open.map(({ id }) => id)} urgent={open.filter(({ isUrgent }) => isUrgent).length} />
  )
}

function describeAlerts(total: number, urgent: number): string {
  const values = { count: formatCount(total), urgent: formatCount(urgent) }
  return urgent > 0
    ? plural(total, '{count} alert, {urgent} urgent', '{count} alerts, {urgent} urgent', values)
    : plural(total, '{count} alert', '{count} alerts', values)
}

function AlertLine({ ids, urgent }: { ids: readonly string[]; urgent: number }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="glass-card flex flex-wrap items-center justify-between gap-x-2 pl-3">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className={classNames(
            'flex min-h-11 items-center gap-2 text-note font-semibold',
            urgent > 0 ? 'text-error' : 'text-primary',
          )}
        >
          <Icon name={urgent > 0 ? 'alert' : 'bell'} />
          {describeAlerts(ids.length, urgent)}
          <Icon name="chevron-down" className={classNames('size-4', isOpen && 'rotate-180')} />
        </button>
        <MarkSeenButton ids={ids} urgent={urgent} label={leadsMessages.alerts.markAll} />
      </div>
      {isOpen && <OpenAlerts canMarkAll={false} />}
    </div>
  )
}
