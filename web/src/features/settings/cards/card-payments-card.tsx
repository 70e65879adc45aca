// Card payments: Stripe Connect, or pasted keys.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, type Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { CopyField } from '@/ui/copy-field'
import { Dialog } from '@/ui/dialog'
import { Disclosure } from '@/ui/disclosure'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { StatusLine } from '@/ui/status-line'
import { settingsMessages } from '../messages'
import { StripeReconciliation } from './stripe-reconciliation'
import { ConnectStripe } from './connect-stripe'
import { cardPaymentsQuery, cardPaymentMessages, useRemoveStripeKeys, useSaveStripeKeys } from './queries'

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
        <ConnectionStatus cards={cards} timeZone={timeZone} />
      ) : (
        <p className="text-note text-muted">
          {t('Customers pay invoices and deposits on a page of Stripe’s, into your own Stripe account. No card number ever comes here.')}
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
      {reconciliation && <StripeReconciliation look={reconciliation} timeZone={timeZone} />}
      {isOwner ? (
        <OwnerActions cards={cards} isConnected={isConnected} />
      ) : (
        <p className="text-note text-muted">{t('Only the owner can change this.')}</p>
      )}
    </div>
  )
}

function ConnectionStatus({ cards: { hint, keyRefusedAt }, timeZone }: { cards: CardPayments; timeZone: string }) {
  if (!keyRefusedAt)
    return (
      <StatusLine tone="success" icon="check-circle">
        {t('connected to Stripe with {hint}', { hint: hint ?? '' })}
      </StatusLine>
    )
  return (
    <Notice tone="error" title={t('Stripe refuses the key {hint}', { hint: hint ?? '' })}>
      {t(
        'Refused since {date}. Card payments and refunds do not work. Make a new key in Stripe and enter it here.',
        { date: formatDateTime(keyRefusedAt, timeZone) },
      )}
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
        <p className="text-note text-muted">{t('Stripe tells us of every payment right away. There is nothing to set up.')}</p>
      ) : (
        <>
          <p className="text-note text-muted">
            {t('In Stripe, under Developers, Webhooks, add this address with the events checkout.session.*, refund.* and charge.dispute.*. Without it we notice a payment within minutes, not right away.')}
          </p>
          <CopyField
            label={t('Address for Stripe')}
            value={webhookUrl}
            copied={cardPaymentMessages.copied}
            failed={settingsMessages.copyFailed}
          />
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
            <StripeKeysForm isSetUp={false} isOther />
          </div>
        </Disclosure>
      ) : (
        <StripeKeysForm isSetUp={isSetUp} isOther={connect.isOffered} />
      )}
      {hasBegun && (
        <div>
          <Disconnect isConnected={isConnected} />
        </div>
      )}
    </div>
  )
}

const OTHER_ACCOUNT_NOTE =
  t('With keys of another account, payments of this one are no longer compared: look there for refunds and chargebacks.')

const EMPTY_KEYS = { secretKey: '', webhookSecret: '' }

function StripeKeysForm({
  isSetUp,
  isOther = false,
}: {
  isSetUp: boolean
  /** Another option is shown above. */ isOther?: boolean
}) {
  const [typed, setTyped] = useState(EMPTY_KEYS)
  const save = useSaveStripeKeys()
  const problems = save.error instanceof ApiError ? save.error.errors : {}
  const send = (event: FormEvent) => {
    event.preventDefault()
    const { secretKey, webhookSecret } = typed
    save.mutate(
      { ...(secretKey ? { secretKey } : {}), ...(webhookSecret ? { webhookSecret } : {}) },
      { onSuccess: () => setTyped(EMPTY_KEYS) },
    )
  }
  const change = (name: keyof typeof EMPTY_KEYS, value: string) => {
    setTyped((before) => ({ ...before, [name]: value.trim() }))
    save.reset()
  }
  return (
    <form aria-label={t('Keys of Stripe')} className="grid gap-4" onSubmit={send}>
      <KeyField
        label={isSetUp ? t('Another secret key') : t('Secret key')}
        hint={t('In Stripe under Developers, API keys: sk_live_…')}
        value={typed.secretKey}
        error={problems['secretKey']}
        onChange={(value) => change('secretKey', value)}
      />
      <KeyField
        label={t('Signing secret')}
        hint={t('Of the address above: whsec_…')}
        value={typed.webhookSecret}
        error={problems['webhookSecret']}
        onChange={(value) => change('webhookSecret', value)}
      />
      {isSetUp && <p className="text-note text-muted">{OTHER_ACCOUNT_NOTE}</p>}
      {save.isError && Object.keys(problems).length === 0 && (
        <Notice tone="error" title={cardPaymentMessages.saveFailed}>
          {describeError(save.error).description}
        </Notice>
      )}
      <div>
        <Button
          type="submit"
          variant={isOther ? 'secondary' : 'primary'}
          disabled={typed.secretKey === '' && typed.webhookSecret === ''}
          pending={save.isPending}
        >
          {getSaveLabel(isSetUp, isOther)}
        </Button>
      </div>
    </form>
  )
}

function getSaveLabel(isSetUp: boolean, isOther: boolean): string {
  if (isSetUp) return t('Change keys')
  return isOther ? t('Use these keys') : t('Connect Stripe')
}

function KeyField({
  label,
  hint,
  value,
  error,
  onChange,
}: {
  label: string
  hint: string
  value: string
  error?: string | undefined
  onChange: (value: string) => void
}) {
  return (
    <Field label={label} unmarked hint={hint} error={error}>
      {/* A key is no password of this site: no manager is to keep or offer it. */}
      {(aria) => (
        <input
          className="input"
          type="password"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          {...aria}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
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
            {t('Customers can no longer pay by card. Pay pages that are open now are closed at Stripe. A payment made a moment before is still booked.')}
          </p>
          <p>{t('Refunds to cards are then made in Stripe itself. What was paid stays in your books.')}</p>
          <p>
            {t('We no longer see refunds and chargebacks of these payments. Look in that Stripe account for them for 120 days.')}
          </p>
          {isConnected && <p>{t('Your Stripe account stays yours. You can connect it again here at any time.')}</p>}
        </div>
      </Dialog>
    </>
  )
}
