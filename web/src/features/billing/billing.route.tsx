// Billing and Subscription screen.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useCurrentUser } from '@/features/session/use-session'
import { BillingHistoryCard, type BillingHistoryActionProps } from '@/features/subscription/history-card'
import { subscriptionMessages as texts } from '@/features/subscription/messages'
import { useClaimSubscription, useDownloadInvoices } from '@/features/subscription/mutations'
import { PlanCard } from '@/features/subscription/plan-card'
import { type Subscription, subscriptionQueries } from '@/features/subscription/queries'
import { TrustCard } from '@/features/trust/trust-card'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { CancelSubscriptionCard } from './cancel-subscription-card'

const CLAIM = 'claim'

/** Link of the email after a payment: assigns the subscription to this business, once. */
function useClaimFromUrl() {
  const [params, setParams] = useSearchParams()
  const { mutate } = useClaimSubscription()
  const token = params.get(CLAIM)
  const claimedToken = useRef<string>(undefined)
  useEffect(() => {
    if (token === null || claimedToken.current === token) return
    claimedToken.current = token
    mutate(token)
    // Removed from the history and from screenshots.
    setParams({}, { replace: true })
  }, [token, mutate, setParams])
}

export function Component() {
  useDocumentTitle(t('Billing'))
  useClaimFromUrl()
  const { orgId, orgTimezone } = useCurrentUser()
  const subscriptionQuery = useQuery(subscriptionQueries.standing(orgId))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 className="text-title">{texts.heading}</h1>
      <QueryBoundary query={subscriptionQuery} errorText={texts.loadFailed} timeZone={orgTimezone}>
        {(subscription) => <Cards subscription={subscription} />}
      </QueryBoundary>
    </div>
  )
}

function Cards({ subscription }: { subscription: Subscription }) {
  const { supportEmail } = subscription
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <PlanCard subscription={subscription} manage={t('Manage Subscription')} />
        <TrustCard />
        <PaymentMethodCard subscription={subscription} />
        <CancelSubscriptionCard subscription={subscription} />
      </div>
      <div className="grid min-w-0 gap-4">
        <BillingHistoryCard aside={DownloadButton} />
        <FeaturesCard />
        {supportEmail && (
          <p className="text-note text-muted">
            {t('Questions? Write to')}{' '}
            <a className="text-link" href={`mailto:${supportEmail}`}>
              {supportEmail}
            </a>
            .
          </p>
        )}
      </div>
    </div>
  )
}

function PaymentMethodCard({ subscription: { card, setupPaid } }: { subscription: Subscription }) {
  return (
    <Card title={t('Payment method')} icon="shield">
      {card ? (
        <DescriptionList>
          <DescriptionItem label={t('Card')}>
            <span className="capitalize">{card.brand}</span> {t('ending in {last4}', { last4: card.last4 })}
          </DescriptionItem>
          <DescriptionItem label={t('Good until')}>{card.expires}</DescriptionItem>
        </DescriptionList>
      ) : (
        <p className="text-muted">
          {setupPaid ? t('Stripe keeps how you pay. Open Manage Subscription to see or change it.') : t('None yet.')}
        </p>
      )}
    </Card>
  )
}

function DownloadButton({ hasInvoices, reasonId }: BillingHistoryActionProps) {
  const download = useDownloadInvoices()
  return (
    <Button
      variant="secondary"
      icon="download"
      disabled={!hasInvoices}
      aria-describedby={hasInvoices ? undefined : reasonId}
      pending={download.isPending}
      pendingText={t('Fetching...')}
      onClick={() => download.mutate()}
    >
      {t('Download Invoices')}
    </Button>
  )
}

function FeaturesCard() {
  return (
    <Card title={t('Included features')} icon="sparkle">
      <ul className="grid gap-2">
        {texts.features.map((name) => (
          <li key={name} className="flex items-center gap-2">
            <Icon name="check" className="size-4 text-success" />
            {name}
          </li>
        ))}
      </ul>
    </Card>
  )
}
