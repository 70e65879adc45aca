// Stripe Connect: state, next step, return.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { useCurrentUser } from '@/features/session/use-session'
import { trustQuery } from '@/features/trust/queries'
import { formatDateTime } from '@/lib/format/date'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { cardPaymentMessages, useConnectStripe, useCompleteStripeConnection } from './queries'

type StripeConnection = Schema['StripeConnection']
type ConnectProps = {
  connect: StripeConnection
  /** Pasted keys are in force. */ hasKeys: boolean
  isOwner: boolean
  timeZone: string
}

export function ConnectStripe({ connect, hasKeys, isOwner, timeZone }: ConnectProps) {
  const begin = useConnectStripe()
  const back = useStripeReturn(isOwner)
  const label = getButtonLabel(connect.state)
  const canConnect = isOwner && connect.isOffered && label !== null
  const needsProof = useNeedsProof(canConnect)
  if (label === null && back.error === null) return null
  return (
    <section aria-label={t('Connect with Stripe')} className="grid gap-3">
      <ConnectionState connect={connect} hasKeys={hasKeys} timeZone={timeZone} />
      {back.hasExpired && connect.state !== 'ready' && (
        <Notice tone="info" title={t('Stripe’s page has expired')}>
          {t('Press {button} for a new one.', { button: label ?? t('Continue at Stripe') })}
        </Notice>
      )}
      {back.error !== null && (
        <Notice tone="error" title={cardPaymentMessages.returnFailed}>
          {describeError(back.error).description}
        </Notice>
      )}
      {begin.isError && (
        <Notice tone="error" title={cardPaymentMessages.beginFailed}>
          {describeError(begin.error).description}
        </Notice>
      )}
      {canConnect && needsProof && (
        <Notice tone="info" title={t('Confirm your email address first')}>
          {t('Open the link that we sent you. Then you can connect with Stripe.')}
        </Notice>
      )}
      {canConnect && !needsProof && (
        <div>
          <Button
            variant={connect.state === 'in_review' ? 'secondary' : 'primary'}
            pending={begin.isPending || back.isPending}
            onClick={() => begin.mutate()}
          >
            {label}
          </Button>
        </div>
      )}
    </section>
  )
}

/** Stripe gets the address of the business, so it has to be confirmed. */
function useNeedsProof(canConnect: boolean): boolean {
  const { orgId } = useCurrentUser()
  const { data } = useQuery({ ...trustQuery(orgId), enabled: canConnect })
  return data?.level === 'new'
}

function getButtonLabel(state: StripeConnection['state']): string | null {
  if (state === 'ready') return null
  if (state === 'none' || state === 'disconnected') return t('Connect with Stripe')
  return state === 'to_finish' ? t('Finish connecting') : t('Continue at Stripe')
}

const joinSentences = (...sentences: (string | false)[]) => sentences.filter(Boolean).join(' ')

/** What is so now, and what to do about it. */
function ConnectionState({ connect, hasKeys, timeZone }: Omit<ConnectProps, 'isOwner'>) {
  const { requirementsDue } = connect
  const missing =
    requirementsDue > 0 && plural(requirementsDue, '{count} detail is missing.', '{count} details are missing.')
  switch (connect.state) {
    case 'none':
      return (
        <p className="text-note text-muted">
          {hasKeys
            ? t(
                'Connect your account instead of pasting keys. Your keys stay in force until it is ready; then pay pages that are open are closed. Payments of another account are then no longer compared: look there for refunds and chargebacks.',
              )
            : t(
                'Sign in to Stripe or open an account there. You paste nothing here, and we notice every payment right away.',
              )}
        </p>
      )
    case 'needs_details':
      return (
        <Notice tone="warning" title={t('Stripe still needs details')}>
          {joinSentences(
            missing,
            t('Press Continue at Stripe and answer what it asks.'),
            hasKeys && t('Until then your keys stay in force.'),
          )}
        </Notice>
      )
    case 'in_review':
      return (
        <Notice tone="info" title={t('Stripe is checking your details')}>
          {t(
            'Look here again in a day or two. If you see Finish connecting, press it. If nothing is left to do, you get an alert when customers can pay by card.',
          )}
        </Notice>
      )
    case 'to_finish':
      return (
        <Notice tone="info" title={t('Stripe has what it needs')}>
          {t('Press Finish connecting, and customers can pay by card.')}
        </Notice>
      )
    case 'restricted':
      return (
        <Notice tone="warning" title={t('Stripe has paused your card payments')}>
          {joinSentences(
            missing,
            t('Customers cannot pay by card until you give Stripe what it asks for. Press Continue at Stripe.'),
          )}
        </Notice>
      )
    case 'disconnected':
      return (
        <Notice tone="error" title={t('Stripe was disconnected')}>
          {joinSentences(
            connect.endedAt
              ? t('The connection was ended in Stripe, noticed {date}.', {
                  date: formatDateTime(connect.endedAt, timeZone),
                })
              : t('The connection was ended in Stripe.'),
            t('Customers cannot pay by card, and refunds to cards are made in Stripe itself.'),
          )}
        </Notice>
      )
    case 'ready':
      return null
  }
}

/** The address that Stripe sent the owner back to is used once and taken out of the address bar. */
function useStripeReturn(isOwner: boolean) {
  const [params, setParams] = useSearchParams()
  const [hasExpired] = useState(() => params.get('stripe') === 'refresh')
  const comeBack = useCompleteStripeConnection()
  const isUsed = useRef(false)
  const [method, state] = [params.get('stripe'), params.get('state')]
  const { mutate } = comeBack
  useEffect(() => {
    if (method === null || isUsed.current) return
    isUsed.current = true
    if (method === 'return' && state !== null && isOwner) mutate(state)
    setParams({ tab: 'money' }, { replace: true })
  }, [method, state, isOwner, mutate, setParams])
  return { hasExpired, isPending: comeBack.isPending, error: comeBack.error }
}
