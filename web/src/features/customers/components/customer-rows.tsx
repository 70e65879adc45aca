import { Link } from 'react-router-dom'
import { formatRelative } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { formatDayTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import type { CustomerSummary } from '../types'

const MINUTE_MS = 60_000

export function CustomerRows({ customers, timeZone }: { customers: readonly CustomerSummary[]; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  return (
    <ul aria-label={t('Customers, newest first')} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {customers.map((customer) => (
        <CustomerRow key={customer.id} customer={customer} timeZone={timeZone} now={now} />
      ))}
    </ul>
  )
}

function CustomerRow({ customer, timeZone, now }: { customer: CustomerSummary; timeZone: string; now: number }) {
  const { id, name, phoneShown, email, openLeads, coming, owed, lastAt } = customer
  return (
    <li className="glass-card relative grid gap-x-4 gap-y-2 px-4 py-3 hover:border-primary/55 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center">
      <div className="min-w-0">
        <h2 className="text-crew wrap-anywhere">
          <Link to={paths.customer(id)} className="after:absolute after:inset-0 after:rounded-box hover:underline">
            {name}
          </Link>
        </h2>
        <p className="flex flex-wrap gap-x-3 text-note text-muted">
          {phoneShown && phoneShown !== name && <span className="whitespace-nowrap tabular-nums">{phoneShown}</span>}
          {email && <span className="min-w-0 wrap-anywhere">{email}</span>}
          {!phoneShown && !email && <span>{t('No phone or email')}</span>}
        </p>
      </div>
      <p className="flex flex-wrap items-center gap-2 sm:justify-end">
        {coming && (
          <Badge tone="warning" icon="calendar">
            {formatDayTime(coming, timeZone, now)}
          </Badge>
        )}
        {owed > 0 && (
          <Badge tone="error" icon="dollar">
            {t('{amount} owed', { amount: formatMoney(owed) })}
          </Badge>
        )}
        {openLeads > 0 && (
          <Badge tone="info" icon="leads">
            {t('{count} open', { count: openLeads })}
          </Badge>
        )}
        <span className="text-caption text-muted">{formatRelative(lastAt, now, timeZone)}</span>
      </p>
    </li>
  )
}
