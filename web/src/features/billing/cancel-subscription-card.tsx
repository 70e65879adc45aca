// Cancellation with its date, data export, and resumption.
import { useId, useState } from 'react'
import { formatDate } from '@/lib/format/date'
import { ExportDataButton } from '@/features/session/export-data-button'
import { useCurrentUser } from '@/features/session/use-session'
import { useCancelSubscription, useResumeSubscription } from '@/features/subscription/mutations'
import type { Subscription } from '@/features/subscription/queries'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Dialog } from '@/ui/dialog'

type CancelSubscriptionCardProps = { subscription: Subscription }

export function CancelSubscriptionCard({ subscription }: CancelSubscriptionCardProps) {
  const { role, orgTimezone } = useCurrentUser()
  const { endsAt, state } = subscription
  if (role !== 'owner' || state === 'none') return null
  return (
    <Card title={endsAt ? t('Your subscription is cancelled') : t('Leaving')} icon="logout">
      <div className="grid justify-items-start gap-3">
        {endsAt ? (
          <>
            <p>
              {t('Everything goes on until {day}. Until then you can undo this.', {
                day: formatDate(endsAt, orgTimezone),
              })}
            </p>
            <KeepButton />
          </>
        ) : (
          <>
            <p className="text-muted">{t('The plan can be cancelled with 30 days’ notice. Your data stays yours.')}</p>
            <CancelButton subscription={subscription} />
          </>
        )}
      </div>
    </Card>
  )
}

/** Why there is nothing to cancel; empty while something goes on. */
function cancelBlockedReason({ isSetUp, setupPaid, canBegin }: Subscription): string {
  if (!isSetUp) return t('Billing is not set up on this install, so there is nothing to cancel.')
  if (!setupPaid) return t('There is no subscription that could be cancelled.')
  return canBegin ? t('Your subscription has ended already.') : ''
}

/** A prepaid period runs to its end; a monthly one is charged by the day. */
function describeCancellation({ plan, wouldEndAt, currentPeriodEnd }: Subscription): { ends: string; charged: string } {
  return plan === 'six_months' && wouldEndAt === currentPeriodEnd
    ? {
        ends: t('The six months that you paid for go on to their end: it ends on'),
        charged: t('Nothing more is charged.'),
      }
    : { ends: t('With 30 days’ notice it ends on'), charged: t('The last days are charged by the day.') }
}

function KeepButton() {
  const keep = useResumeSubscription()
  return (
    <Button icon="undo" pending={keep.isPending} onClick={() => keep.mutate()}>
      {t('Keep Subscription')}
    </Button>
  )
}

function CancelButton({ subscription }: CancelSubscriptionCardProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { orgTimezone } = useCurrentUser()
  const cancel = useCancelSubscription()
  const reasonId = useId()
  const reason = cancelBlockedReason(subscription)
  const { ends, charged } = describeCancellation(subscription)
  return (
    <>
      <Button
        variant="danger"
        disabled={reason !== ''}
        aria-describedby={reason === '' ? undefined : reasonId}
        onClick={() => setIsAsking(true)}
      >
        {t('Cancel Subscription')}
      </Button>
      {reason !== '' && (
        <p id={reasonId} className="text-note text-muted">
          {reason}
        </p>
      )}
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('Cancel your subscription?')}
        actions={
          <>
            <Button variant="ghost" onClick={() => setIsAsking(false)}>
              {t('Keep Subscription')}
            </Button>
            <Button
              variant="danger"
              pending={cancel.isPending}
              onClick={() => cancel.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
            >
              {t('Cancel Subscription')}
            </Button>
          </>
        }
      >
        <div className="grid gap-3">
          <p>
            {ends} <strong>{formatDate(subscription.wouldEndAt, orgTimezone)}</strong>.{' '}
            {t('Until then everything goes on, and you can take this back.')} {charged}
          </p>
          <p>
            {t(
              'After that you have 14 days in which all still works. Then you can only read and export, and your data is kept for 60 days at least.',
            )}
          </p>
          <p>{t('Take everything along at any time, in one file:')}</p>
          <ExportDataButton />
        </div>
      </Dialog>
    </>
  )
}
