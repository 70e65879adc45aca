// One line of the books: a payment, a refund, or what was written off.
import { lazy, Suspense, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { dayWords } from '@/lib/format/day-words'
import { useUntil } from '@/lib/hooks/use-until'
import type { LeadDetail, PaymentView } from '../queries'
import { useReceiptPdf, useSendReceipt, useUndoPayment } from './mutations'
import { PAYMENT_KINDS, PAYMENT_METHODS, PAYMENT_STATUSES } from '@/domain/payment'

const RefundDialog = lazy(async () => ({ default: (await import('./refund-dialog')).RefundDialog }))

/** Beside each other on a phone. */
const SMALL = 'min-h-11! px-2.5! text-note!'

type PaymentItemProps = { lead: LeadDetail; payment: PaymentView }

export function PaymentItem({ lead, payment }: PaymentItemProps) {
  const { label, sign, icon } = PAYMENT_KINDS[payment.kind]
  const state = PAYMENT_STATUSES[payment.status]
  const details = [PAYMENT_METHODS[payment.method], payment.reference, dayWords(payment.receivedOn), payment.by && `by ${payment.by}`]
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex items-start gap-2">
        <Icon name={icon} className="mt-0.5 text-primary" />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-semibold">{label}{payment.number && <span className="font-normal text-muted"> {payment.number}</span>}</span>
            <span className="font-semibold tabular-nums">{sign}{formatCents(payment.amount)}</span>
          </p>
          <p className="text-note text-muted wrap-anywhere">{details.filter(Boolean).join(', ')}</p>
          {payment.note && <p className="text-note wrap-anywhere whitespace-pre-line">{payment.note}</p>}
          {state && <Badge tone={state.tone} icon={state.icon} className="mt-2">{state.label}</Badge>}
        </div>
      </div>
      <PaymentActions lead={lead} payment={payment} />
    </li>
  )
}

function PaymentActions({ lead, payment }: PaymentItemProps) {
  const [isRefunding, setIsRefunding] = useState(false)
  const isOnline = useOnline()
  const undo = useUndoPayment(lead.id)
  const canBeUndone = useUntil(payment.undoUntil ? Date.parse(payment.undoUntil) : 0)
  const isRefundable = payment.refundable > 0
  const hasReceipt = Boolean(payment.number)
  if (!canBeUndone && !isRefundable && !hasReceipt) return null
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {canBeUndone && <Button variant="secondary" icon="arrow-left" className={SMALL} pending={undo.isPending} disabled={!isOnline} onClick={() => undo.mutate(payment.id)}>Undo</Button>}
      {hasReceipt && <Receipt lead={lead} payment={payment} mayBeSent={!canBeUndone} />}
      {isRefundable && !canBeUndone && <Button variant="ghost" className={SMALL} disabled={!isOnline} onClick={() => setIsRefunding(true)}>Refund</Button>}
      {isRefunding && <Suspense fallback={null}><RefundDialog leadId={lead.id} payment={payment} onClose={() => setIsRefunding(false)} /></Suspense>}
    </div>
  )
}

/** What may still be taken back is not sent by hand. */
function Receipt({ lead, payment, mayBeSent }: PaymentItemProps & { mayBeSent: boolean }) {
  const pdf = useReceiptPdf(payment.id, payment.number ?? '')
  const send = useSendReceipt(lead.id, payment.id)
  const isOnline = useOnline()
  return (
    <>
      <Button variant="secondary" icon="download" className={SMALL} pending={pdf.isPending} onClick={() => pdf.mutate()}>Receipt</Button>
      {lead.email && mayBeSent && <Button variant="ghost" className={SMALL} pending={send.isPending} pendingText="Sending..." disabled={!isOnline} onClick={() => send.mutate()}>Email it</Button>}
    </>
  )
}
