// What was paid of an invoice, and what is open.
import { Link } from 'react-router-dom'
import { paths } from '@/app/paths'
import { PAYMENT_KINDS, PAYMENT_METHODS, PAYMENT_STATUSES } from '@/domain/payment'
import { classNames } from '@/lib/class-names'
import { dayWords } from '@/lib/format/day-words'
import { formatCents } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { useUntil } from '@/lib/hooks/use-until'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Icon } from '@/ui/icon'
import { useUndoPayment } from '../mutations'
import type { InvoiceView } from '../types'

type Payment = InvoiceView['payments'][number]

export function PaymentsCard({ invoice: { id, leadId, status, payments, total, paid, balance } }: { invoice: InvoiceView }) {
  if (status === 'draft' && payments.length === 0) return null
  const rows = [{ label: 'Total', amount: total }, { label: 'Paid', amount: paid }, { label: 'Open', amount: status === 'void' ? 0 : balance, isMain: true }]
  return (
    <Card title="Payments" icon="dollar">
      <div className="grid gap-4">
        {payments.length === 0
          ? <p className="text-muted">Nothing was paid yet.</p>
          : <ul aria-label="Payments" className="grid gap-2">{payments.map((payment) => <Item key={payment.id} payment={payment} invoiceId={id} />)}</ul>}
        {payments.length > 0 && <Link to={paths.lead(leadId)} className="text-link inline-flex min-h-11 w-fit items-center text-note">Receipts and refunds, with the lead</Link>}
        <dl className="grid gap-1 tabular-nums">
          {rows.map(({ label, amount, isMain = false }) => (
            <div key={label} className={classNames('flex justify-between gap-4', isMain ? 'border-t border-primary/22 pt-1 text-crew font-semibold' : 'text-note text-muted')}>
              <dt>{label}</dt>
              <dd>{formatCents(amount)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}

function Item({ payment, invoiceId }: { payment: Payment; invoiceId: string }) {
  const { kind, number, method, reference, receivedOn, by, amount, allocations, status, undoUntil } = payment
  const { label, sign, icon } = PAYMENT_KINDS[kind]
  const state = PAYMENT_STATUSES[status]
  const undo = useUndoPayment()
  const isOnline = useOnline()
  const canBeUndone = useUntil(undoUntil ? Date.parse(undoUntil) : 0)
  // Of a payment for several invoices only its part counts here.
  const part = allocations.filter((one) => one.invoiceId === invoiceId).reduce((sum, one) => sum + one.amount, 0)
  const shown = part === 0 ? amount : Math.abs(part)
  return (
    <li className="flex items-start gap-2 rounded-field border border-primary/22 p-3">
      <Icon name={icon} className="mt-0.5 text-primary" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-semibold">{label}{number && <span className="font-normal text-muted"> {number}</span>}</span>
          <span className="font-semibold tabular-nums">{sign}{formatCents(shown)}</span>
        </p>
        {shown < amount && <p className="text-note text-muted">Of {formatCents(amount)} in all</p>}
        <p className="text-note text-muted wrap-anywhere">{[PAYMENT_METHODS[method], reference, dayWords(receivedOn), by && `by ${by}`].filter(Boolean).join(', ')}</p>
        {state && <Badge tone={state.tone} icon={state.icon} className="mt-2">{state.label}</Badge>}
        {canBeUndone && <Button variant="secondary" icon="undo" className="mt-2 min-h-11! px-2.5! text-note!" pending={undo.isPending} disabled={!isOnline} onClick={() => undo.mutate(payment.id)}>Undo</Button>}
      </div>
    </li>
  )
}
