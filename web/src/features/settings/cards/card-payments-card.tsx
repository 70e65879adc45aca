// Card payments: Stripe Connect, or pasted keys.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Dialog } from '@/ui/dialog'
import { Disclosure } from '@/ui/disclosure'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StatusLine } from '@/ui/status-line'
import { type StripeAccess, StripeReconciliation } from './stripe-reconciliation'
import { ConnectStripe } from './connect-stripe'
import { cardPaymentsQuery, cardPaymentMessages, useRemoveStripeKeys } from './queries'
import { OTHER_ACCOUNT_NOTE, StripeKeysForm } from './stripe-keys-form'
import { WebhookAddress } from './webhook-address'

type CardPayments = Schema['CardPayments']

export function CardPaymentsCard() {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const cards = useQuery(cardPaymentsQuery(orgId))
  return (
    <Card title={t('Card payments')} icon="dollar">
      <QueryBoundary query={cards} errorText={cardPaymentMessages.loadFailed} timeZone={orgTimezone}>
        {(found) => <CardConnection cards={found} isOwner={role === 'owner'} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Card>
  )
}

function CardConnection({ cards, isOwner, timeZone }: { cards: CardPayments; isOwner: boolean; timeZone: string }) {
  const { connect, isSetUp, isTest, reconciliation } = cards
  const isConnected = connect.state === 'ready' || connect.state === 'restricted'
  return (
    <div className="grid gap-5">
      {isSetUp ? (
        <ConnectionStatus cards={cards} isConnected={isConnected} timeZone={timeZone} />
      ) : (
        <p className="text-note text-muted">
          {t(
            'Customers pay invoices and deposits on a page of Stripe’s, into your own Stripe account. No card number ever comes here.',
          )}
        </p>
      )}
      {isTest && (
        <Notice tone="warning" title={isConnected ? t('This is a test account') : t('This is a test key')}>
          {t('What is paid with it is not real money. It is marked as a test and settles nothing.')}
        </Notice>
      )}
      {(connect.isOffered || connect.state !== 'none') && (
        <ConnectStripe connect={connect} hasKeys={isSetUp && !isConnected} isOwner={isOwner} timeZone={timeZone} />
      )}
      {isSetUp && <WebhookStatus cards={cards} isConnected={isConnected} timeZone={timeZone} />}
      {reconciliation && (
        <StripeReconciliation look={reconciliation} access={getAccess(isSetUp, isConnected)} timeZone={timeZone} />
      )}
      {isOwner ? (
        <OwnerActions cards={cards} isConnected={isConnected} />
      ) : (
        <p className="text-note text-muted">{t('Only the owner can change this.')}</p>
      )}
    </div>
  )
}

function getAccess(isSetUp: boolean, isConnected: boolean): StripeAccess {
  if (!isSetUp) return 'none'
  return isConnected ? 'connection' : 'keys'
}

function ConnectionStatus({
  cards: { hint, keyRefusedAt },
  isConnected,
  timeZone,
}: {
  cards: CardPayments
  isConnected: boolean
  timeZone: string
}) {
  if (!keyRefusedAt)
    return (
      <StatusLine tone="success" icon="check-circle">
        {t('connected to Stripe with {hint}', { hint: hint ?? '' })}
      </StatusLine>
    )
  if (isConnected)
    return (
      <Notice tone="error" title={t('Stripe does not let us reach {account}', { account: hint ?? '' })}>
        {t(
          'Card payments and refunds do not work since {date}. If you ended the connection in Stripe, press Disconnect and connect again. If not, ask the person who runs your Toolbox.',
          { date: formatDateTime(keyRefusedAt, timeZone) },
        )}
      </Notice>
    )
  return (
    <Notice tone="error" title={t('Stripe refuses the key {hint}', { hint: hint ?? '' })}>
      {t('Refused since {date}. Card payments and refunds do not work. Make a new key in Stripe and enter it here.', {
        date: formatDateTime(keyRefusedAt, timeZone),
      })}
    </Notice>
  )
}

/** Where the server tells of payments by itself there is nothing to set up in Stripe. */
function WebhookStatus({
  cards,
  isConnected,
  timeZone,
}: {
  cards: CardPayments
  isConnected: boolean
  timeZone: string
}) {
  const { hasWebhookSecret, lastEventAt, webhookUrl } = cards
  return (
    <section aria-label={t('News from Stripe')} className="grid gap-2">
      <h3 className="font-semibold">{t('News from Stripe')}</h3>
      {isConnected ? (
        <p className="text-note text-muted">
          {t('Stripe tells us of every payment right away. There is nothing to set up.')}
        </p>
      ) : (
        <>
          <WebhookAddress url={webhookUrl} />
          <StatusLine
            tone={hasWebhookSecret ? 'success' : 'neutral'}
            icon={hasWebhookSecret ? 'check-circle' : 'clock'}
          >
            {hasWebhookSecret ? t('its signing secret is known') : t('its signing secret is still missing')}
          </StatusLine>
        </>
      )}
      {lastEventAt ? (
        <StatusLine tone="success" icon="check-circle">
          {t('seen working, last received {date}', { date: formatDateTime(lastEventAt, timeZone) })}
        </StatusLine>
      ) : (
        <StatusLine tone="neutral" icon="clock">
          {t('nothing has come there yet')}
        </StatusLine>
      )}
    </section>
  )
}

/** Pasted keys are the other way where accounts can be connected: below it, and folded while they are not in use. */
function OwnerActions({ cards, isConnected }: { cards: CardPayments; isConnected: boolean }) {
  const { connect, isSetUp } = cards
  const hasBegun = isSetUp || ['needs_details', 'in_review', 'to_finish'].includes(connect.state)
  return (
    <div className="grid gap-5">
      {connect.isOffered && (isConnected || !isSetUp) ? (
        <Disclosure summary={t('Paste keys of your Stripe account instead')}>
          <div className="grid gap-3 pt-3">
            {isConnected && (
              <p className="text-note text-muted">
                {t('With pasted keys the connection ends, and pay pages that are open now are closed.')}{' '}
                {OTHER_ACCOUNT_NOTE}
              </p>
            )}
            <StripeKeysForm isSetUp={false} isOther webhookUrl={cards.webhookUrl} />
          </div>
        </Disclosure>
      ) : (
        <StripeKeysForm isSetUp={isSetUp} isOther={connect.isOffered} webhookUrl={cards.webhookUrl} />
      )}
      {hasBegun && (
        <div>
          <Disconnect isConnected={isConnected} />
        </div>
      )}
    </div>
  )
}

function Disconnect({ isConnected }: { isConnected: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  const remove = useRemoveStripeKeys()
  return (
    <>
      <Button variant="ghost" onClick={() => setIsAsking(true)}>
        {t('Disconnect')}
      </Button>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('Stop taking cards?')}
        actions={
          <>
            <Button variant="ghost" onClick={() => setIsAsking(false)}>
              {t('Keep')}
            </Button>
            <Button
              variant="danger"
              pending={remove.isPending}
              onClick={() => remove.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
            >
              {t('Disconnect')}
            </Button>
          </>
        }
      >
        <div className="grid gap-3">
          <p>
            {t(
              'Customers can no longer pay by card. Pay pages that are open now are closed at Stripe. A card payment made a moment before is still booked. A bank payment takes days and may not be booked: look for it in that Stripe account.',
            )}
          </p>
          <p>{t('Refunds to cards are then made in Stripe itself. What was paid stays in your books.')}</p>
          <p>
            {t(
              'We no longer see refunds and chargebacks of these payments. Look in that Stripe account for them for 120 days.',
            )}
          </p>
          {isConnected && <p>{t('Your Stripe account stays yours. You can connect it again here at any time.')}</p>}
        </div>
      </Dialog>
    </>
  )
}
