import { useQuery } from '@tanstack/react-query'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { BillingHistoryCard } from '@/features/subscription/history-card'
import { subscriptionMessages as texts } from '@/features/subscription/messages'
import { PlanCard } from '@/features/subscription/plan-card'
import { subscriptionQueries } from '@/features/subscription/queries'
import { TrustCard } from '@/features/trust/trust-card'
import { LinkButton } from '@/ui/button'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'

export function SubscriptionPage() {
  const { orgId, orgTimezone } = useCurrentUser()
  const subscriptionQuery = useQuery(subscriptionQueries.standing(orgId))
  return (
    <>
      <QueryBoundary
        query={subscriptionQuery}
        skeleton={<TabSkeleton />}
        errorText={texts.loadFailed}
        timeZone={orgTimezone}
      >
        {(subscription) => <PlanCard subscription={subscription} manage={t('Manage Billing')} />}
      </QueryBoundary>
      <LinkButton to={paths.billing} variant="ghost" icon="arrow-right">
        {t('Payment method, invoices and cancelling')}
      </LinkButton>
      <TrustCard />
      <BillingHistoryCard />
    </>
  )
}
