import { lazy, Suspense, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { useIsBefore } from '@/lib/hooks/use-is-before'
import { isFromStripe, PAYMENT_KINDS, PAYMENT_METHODS, PAYMENT_STATUSES, paymentHint } from '@/domain/payment'
import { useReceiptPdf, useSendReceipt, useUndoPayment } from './mutations'
import type { PaymentView, RefundOutcome } from './types'

const RefundDialog = lazy(async () => ({ default: (await import('./refund-dialog')).RefundDialog }))
const SettleRefundDialog = lazy(async () => ({ default: (await import('./settle-dialog')).SettleRefundDialog }))

/** Beside each other on a phone. */
const SMALL_CLASS = 'min-h-11! px-2.5! text-note!'

type PaymentItemProps = {
  payment: PaymentView
  /** Where a receipt can be sent to. */
  email: string | null | undefined
  /** What of it counts here, where a payment was for several things. */
  allocatedAmount?: number
}

export function PaymentItem({ payment, email, allocatedAmount = payment.amount }: PaymentItemProps) {
  const { label, sign, icon } = PAYMENT_KINDS[payment.kind]
  const state = PAYMENT_STATUSES[payment.status]
  const hint = paymentHint(payment)
  const details = [
    PAYMENT_METHODS[payment.method],
    payment.reference,
    formatCalendarDay(payment.receivedOn),
    payment.by && t('by {name}', { name: payment.by }),
  ]
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex items-start gap-2">
        <Icon name={icon} className="mt-0.5 text-primary" />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-semibold">
              {label}
              {payment.number && <span className="font-normal text-muted"> {payment.number}</span>}
            </span>
            <span className="font-semibold tabular-nums">
              {sign}
              {formatCents(allocatedAmount)}
            </span>
          </p>
          {allocatedAmount < payment.amount && (
            <p className="text-note text-muted">{t('Of {amount} in all', { amount: formatCents(payment.amount) })}</p>
          )}
          <p className="text-note text-muted wrap-anywhere">{details.filter(Boolean).join(', ')}</p>
          {payment.note && <p className="text-note wrap-anywhere whitespace-pre-line">{payment.note}</p>}
          {state && (
            <Badge tone={state.tone} icon={state.icon} className="mt-2">
              {state.label}
            </Badge>
          )}
          {payment.payout && <p className="text-note text-muted">{describePayout(payment.payout)}</p>}
          {hint && <p className="mt-1 text-note">{hint}</p>}
          {payment.alreadyReturned && <p className="mt-1 text-note">{payment.alreadyReturned}</p>}
        </div>
      </div>
      {payment.markable && <OutcomeActions refund={payment} />}
      <PaymentActions email={email} payment={payment} />
    </li>
  )
}

/** With which payout it went to the bank. */
function describePayout({ id, amount, arrivesOn, status }: NonNullable<PaymentView['payout']>): string {
  const values = { day: formatCalendarDay(arrivesOn), amount: formatCents(amount), id }
  if (status === 'paid') return t('Paid out, {day}, with {amount} ({id})', values)
  return status === 'failed' || status === 'canceled'
    ? t('Payout failed, {day}, with {amount} ({id})', values)
    : t('Payout on its way, {day}, with {amount} ({id})', values)
}

type ActionProps = Pick<PaymentItemProps, 'payment' | 'email'>

function PaymentActions({ email, payment }: ActionProps) {
  const [isRefunding, setIsRefunding] = useState(false)
  const isOnline = useOnline()
  const undo = useUndoPayment()
  // What Stripe took is given back, not forgotten.
  const isUndoable = useIsBefore(payment.undoUntil ? Date.parse(payment.undoUntil) : 0)
  const canBeUndone = isUndoable && !isFromStripe(payment)
  const isRefundable = payment.refundable > 0
  // Nothing is receipted before the money has moved, nor after it went back.
  const hasReceipt =
    Boolean(payment.number) && payment.status === 'settled' && (payment.kind !== 'payment' || isRefundable)
  if (!canBeUndone && !isRefundable && !hasReceipt) return null
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {canBeUndone && (
        <Button
          variant="secondary"
          icon="undo"
          className={SMALL_CLASS}
          pending={undo.isPending}
          disabled={!isOnline}
          onClick={() => undo.mutate(payment.id)}
        >
          {t('Undo')}
        </Button>
      )}
      {hasReceipt && <Receipt email={email} payment={payment} mayBeSent={!canBeUndone} />}
      {isRefundable && !canBeUndone && (
        <Button
          variant="secondary"
          icon="arrow-left"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setIsRefunding(true)}
        >
          {t('Refund')}
        </Button>
      )}
      {isRefunding && (
        <Suspense fallback={null}>
          <RefundDialog payment={payment} onClose={() => setIsRefunding(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Outcome as seen in Stripe. */
function OutcomeActions({ refund }: { refund: PaymentView }) {
  const [outcome, setOutcome] = useState<RefundOutcome | null>(null)
  const isOnline = useOnline()
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      <Button
        variant="secondary"
        icon="check"
        className={SMALL_CLASS}
        disabled={!isOnline}
        onClick={() => setOutcome('refunded')}
      >
        {t('Mark as refunded')}
      </Button>
      <Button
        variant="secondary"
        icon="close"
        className={SMALL_CLASS}
        disabled={!isOnline}
        onClick={() => setOutcome('not_refunded')}
      >
        {t('Mark as not refunded')}
      </Button>
      {outcome && (
        <Suspense fallback={null}>
          <SettleRefundDialog refund={refund} outcome={outcome} onClose={() => setOutcome(null)} />
        </Suspense>
      )}
    </div>
  )
}

/** No manual sending while it can be undone. */
function Receipt({ email, payment, mayBeSent }: ActionProps & { mayBeSent: boolean }) {
  const pdf = useReceiptPdf(payment.id, payment.number ?? '')
  const send = useSendReceipt(payment.id)
  const isOnline = useOnline()
  return (
    <>
      <Button
        variant="secondary"
        icon="download"
        className={SMALL_CLASS}
        pending={pdf.isPending}
        onClick={() => pdf.mutate()}
      >
        {t('Receipt')}
      </Button>
      {email && mayBeSent && (
        <Button
          variant="secondary"
          icon="mail"
          className={SMALL_CLASS}
          pending={send.isPending}
          pendingText={t('Sending...')}
          disabled={!isOnline}
          onClick={() => send.mutate()}
        >
          {t('Email it')}
        </Button>
      )}
    </>
  )
}
