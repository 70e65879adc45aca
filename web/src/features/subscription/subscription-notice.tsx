// Banner for owner and office while payment is due, or access has ended.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Icon } from '@/ui/icon'
import { subscriptionQueries } from './queries'
import { isUrgent, describeEndDate } from './states'

export function SubscriptionNotice() {
  const { orgId, orgTimezone } = useCurrentUser()
  const { data } = useQuery(subscriptionQueries.standing(orgId))
  if (!data || !isUrgent(data.state)) return null
  return (
    <aside
      aria-label={t('Subscription')}
      className="flex min-h-12 items-center gap-x-2 border-b border-error/40 bg-error/8 px-3 text-note sm:px-4 lg:px-6"
    >
      <Icon name="alert" className="size-4 text-error" />
      <p className="min-w-0 flex-1 py-1">
        {data.state === 'read_only' && `${t('Nothing can be changed, and customers get no automatic answers.')} `}
        {describeEndDate(data, orgTimezone)}
      </p>
      <Link to={paths.billing} className="text-link inline-flex min-h-11 shrink-0 items-center">
        {t('Billing')}
      </Link>
    </aside>
  )
}
