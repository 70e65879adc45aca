// One unseen alert with its button.
import { Link } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { classNames } from '@/lib/class-names'
import { formatTime } from '@/lib/format/date'
import { formatDayTime, getZoneDay } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { useMarkAlertSeen } from '../mutations'

type Alert = Schema['Alert']

type OpenAlertProps = { alert: Alert; timeZone: string; now: number }

/** What it opens: the words that could not leave, what it names, else its lead. */
export function getAlertHref({ leadId, textLink, path }: Alert): string | undefined {
  if (leadId && textLink) return paths.leadByHand(leadId)
  return path ?? (leadId ? paths.lead(leadId) : undefined)
}

/** The whole line opens what it is about, but for its one button. Its layout depends on the room it is given. */
export function OpenAlert({ alert, timeZone, now }: OpenAlertProps) {
  const see = useMarkAlertSeen()
  const { title, body, isUrgent } = alert
  const address = getAlertHref(alert)
  return (
    <li
      className={classNames(
        'relative flex items-center gap-3 py-1.5 pr-1.5 pl-3',
        isUrgent ? 'bg-error/8' : 'hover:bg-primary/5',
      )}
    >
      <Icon
        name={isUrgent ? 'alert' : 'bell'}
        className={classNames('@max-md:hidden', isUrgent ? 'text-error' : 'text-primary')}
      />
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 @2xl:flex-nowrap">
        <p
          className={classNames(
            'min-w-0 flex-1 font-semibold @max-2xl:line-clamp-2 @max-2xl:text-note @max-2xl:wrap-anywhere @2xl:flex-none @2xl:truncate',
            isUrgent && 'text-error',
          )}
        >
          {address ? (
            <Link to={address} className="after:absolute after:inset-0 hover:underline">
              {title}
            </Link>
          ) : (
            title
          )}
        </p>
        <p className="shrink-0 text-caption text-muted tabular-nums @2xl:order-last">
          <AlertAge alert={alert} timeZone={timeZone} now={now} />
        </p>
        <p className="line-clamp-2 min-w-0 basis-full text-note @2xl:line-clamp-1 @2xl:flex-1 @2xl:basis-0">{body}</p>
      </div>
      <Button
        variant="ghost"
        icon="check"
        aria-label={t('Seen: {title}', { title })}
        className="relative z-10 min-h-11! flex-col gap-0! px-2! text-note! @max-2xl:text-caption! @2xl:flex-row @2xl:gap-2! @2xl:px-3!"
        pending={see.isPending}
        onClick={() => see.mutate(alert.id)}
      >
        {t('Seen')}
      </Button>
    </li>
  )
}

/** A time of today needs no day. */
function AlertAge({ alert: { createdAt, climbsAt }, timeZone, now }: OpenAlertProps) {
  const isToday = getZoneDay(timeZone, Date.parse(createdAt)) === getZoneDay(timeZone, now)
  const since = isToday ? formatTime(createdAt, timeZone) : formatDayTime(createdAt, timeZone, now)
  return climbsAt ? t('{since}, next person at {time}', { since, time: formatTime(climbsAt, timeZone) }) : since
}
