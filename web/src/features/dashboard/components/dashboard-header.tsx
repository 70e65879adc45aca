import { formatWeekday } from '@/lib/format/date'
import { getZoneTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { LiveIndicator } from '@/ui/live-indicator'
import { dashboardMessages as texts } from '../messages'
import { Clock } from './clock'

const MINUTE_MS = 60_000
const NOON = 12
const EVENING = 18

function greeting(timeZone: string, now: number): string {
  const hour = Number(getZoneTime(timeZone, now).slice(0, 2))
  if (hour < NOON) return t('Good morning')
  return hour < EVENING ? t('Good afternoon') : t('Good evening')
}

/** `updatedAt` is when the figures were fetched, in milliseconds; 0 while there are none. */
export function DashboardHeader({ updatedAt }: { updatedAt: number }) {
  const { name, orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const [first = name] = name.split(' ')
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-1">
      <div className="min-w-0">
        <h1 className="text-title">{texts.title}</h1>
        <p className="text-muted wrap-anywhere">
          {greeting(orgTimezone, now)}, {first}. {formatWeekday(now, orgTimezone)}
        </p>
      </div>
      <div className="flex min-h-8 flex-wrap items-center gap-x-3">
        <LiveIndicator updatedAt={updatedAt} timeZone={orgTimezone} />
        <Clock timeZone={orgTimezone} />
      </div>
    </header>
  )
}
