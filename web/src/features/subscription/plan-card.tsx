import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Badge } from '@/ui/badge'
import { Button, ExternalButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { Notice } from '@/ui/notice'
import { subscriptionMessages as texts } from './messages'
import { useOpenBillingPortal } from './mutations'
import type { Subscription } from './queries'
import { SUBSCRIPTION_STATES, describeEndDate } from './states'

type PlanCardProps = {
  subscription: Subscription
  /** What the way to Stripe is called. */ manage: string
}

/** `$350` and the months it is for; before there is a subscription, what one costs. */
function formatPlanPrice({ plan, price }: Subscription): string {
  return plan === 'six_months'
    ? t('{price} every six months', { price: formatMoney(price ?? 2100) })
    : t('{price} a month', { price: formatMoney(price ?? 350) })
}

export function PlanCard({ subscription, manage }: PlanCardProps) {
  const { role, orgTimezone } = useCurrentUser()
  const { state, isSetUp, isTest, canBegin, setupPaid } = subscription
  const { label, tone, icon } = SUBSCRIPTION_STATES[state]
  const until = describeEndDate(subscription, orgTimezone)
  return (
    <Card
      title={t('Current plan')}
      icon="dollar"
      aside={
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      }
    >
      <div className="grid gap-3">
        <p>
          <span className="block text-section">{texts.planName}</span>
          <span className="text-muted">{formatPlanPrice(subscription)}</span>
        </p>
        {until && <p>{until}</p>}
        {isTest && (
          <Notice tone="warning" title={t('This is a test account')}>
            {t('What is paid is not real money.')}
          </Notice>
        )}
        {!isSetUp && <p className="text-note text-muted">{texts.notSetUp}</p>}
        {role === 'owner' ? (
          <div className="flex flex-wrap gap-2">
            {/* Loaded as a page of its own: only there the content policy lets Stripe's form in. */}
            {canBegin && (
              <ExternalButton href={paths.checkout}>{setupPaid ? t('Subscribe again') : t('Subscribe')}</ExternalButton>
            )}
            {/* Also where there is nothing to manage yet: the server says so in words. */}
            <PortalButton label={manage} />
          </div>
        ) : (
          <p className="text-note text-muted">{t('Only the owner can change this.')}</p>
        )}
      </div>
    </Card>
  )
}

function PortalButton({ label }: { label: string }) {
  const open = useOpenBillingPortal()
  return (
    <Button
      variant="secondary"
      icon="external"
      pending={open.isPending || open.isSuccess}
      onClick={() => open.mutate()}
    >
      {label}
    </Button>
  )
}
