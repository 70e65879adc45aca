// Unseen alerts, urgent first, folded into one line; they escalate until seen.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { classNames } from '@/lib/class-names'
import { formatCount } from '@/lib/format/number'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { groupAlerts } from '../lib/alert-groups'
import { leadsMessages } from '../messages'
import { leadQueries } from '../queries'
import { AlertGroupRow } from './alert-group-row'
import { getAlertHref, OpenAlert } from './open-alert'
import { MarkSeenButton } from './mark-seen-button'

type Alert = Schema['Alert']

const MINUTE_MS = 60_000

type OpenAlertsProps = { /** False where the caller has the button. */ canMarkAll?: boolean }

/** However many there are, one line: the most urgent one, and the rest on demand, folded by cause. */
export function OpenAlerts({ canMarkAll = true }: OpenAlertsProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const { data = [] } = useQuery(leadQueries.alertList(orgId))
  const [isWhole, setIsWhole] = useState(false)
  const now = useNow(MINUTE_MS)
  const open = data.filter(({ seenAt }) => !seenAt).toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
  const [first] = open
  if (!first) return null
  return (
    <section aria-label={t('Alerts')} className="glass-card @container overflow-hidden">
      <div className={classNames('flex items-center', first.isUrgent && 'bg-error/8')}>
        <FirstAlert alert={first} />
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="flex min-h-11 shrink-0 items-center gap-2 px-3 text-note font-semibold text-primary -outline-offset-2! hover:bg-primary/5"
        >
          {isWhole ? t('Hide') : describeRest(open.length - 1)}
          <Icon
            name="chevron-down"
            className={classNames('transition-transform duration-[120ms]', isWhole && 'rotate-180')}
          />
        </button>
      </div>
      {isWhole && (
        <ul className="divide-y divide-primary/15 border-t border-primary/15">
          {groupAlerts(open).map(({ key, title, alerts, isUrgent }) =>
            alerts.length === 1 && alerts[0] ? (
              <OpenAlert key={key} alert={alerts[0]} timeZone={orgTimezone} now={now} />
            ) : (
              <AlertGroupRow key={key} title={title} isUrgent={isUrgent} ids={alerts.map(({ id }) => id)}>
                {alerts.map((alert) => (
                  <OpenAlert key={alert.id} alert={alert} timeZone={orgTimezone} now={now} />
                ))}
              </AlertGroupRow>
            ),
          )}
        </ul>
      )}
      {isWhole && canMarkAll && open.length > 1 && (
        <div className="flex justify-end border-t border-primary/15">
          <MarkSeenButton
            ids={open.map(({ id }) => id)}
            urgent={open.filter(({ isUrgent }) => isUrgent).length}
            label={leadsMessages.alerts.markAll}
          />
        </div>
      )}
    </section>
  )
}

const describeRest = (count: number) => (count > 0 ? t('and {count} more', { count: formatCount(count) }) : t('Show'))

function FirstAlert({ alert }: { alert: Alert }) {
  const { title, isUrgent } = alert
  const address = getAlertHref(alert)
  const words = (
    <>
      <Icon name={isUrgent ? 'alert' : 'bell'} className={isUrgent ? 'text-error' : 'text-primary'} />
      <span className={classNames('truncate', isUrgent && 'text-error')}>{title}</span>
    </>
  )
  const shape = 'flex min-h-11 min-w-0 flex-1 items-center gap-3 pl-3 font-semibold'
  return address ? (
    <Link to={address} className={classNames(shape, '-outline-offset-2! hover:underline')}>
      {words}
    </Link>
  ) : (
    <p className={shape}>{words}</p>
  )
}
