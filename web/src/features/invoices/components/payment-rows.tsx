import { Link } from 'react-router-dom'
import { PAYMENT_KINDS, PAYMENT_METHODS } from '@/domain/payment'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import type { PaymentSummary } from '../lib/payment-list'

const LINK = 'text-link inline-flex min-h-11 items-center mr-3'

export function PaymentRows({ payments }: { payments: readonly PaymentSummary[] }) {
  return (
    <ul aria-label={t('Payments, the newest day first')} className="grid gap-3">
      {payments.map((payment) => (
        <PaymentRow key={payment.id} payment={payment} />
      ))}
    </ul>
  )
}

function PaymentRow({
  payment: { receivedOn, customer, leadId, kind, method, reference, amount, allocations },
}: {
  payment: PaymentSummary
}) {
  const { label, sign } = PAYMENT_KINDS[kind]
  return (
    <li className="glass-card flex flex-wrap items-center justify-between gap-x-4 p-4">
      <p className="wrap-anywhere">
        <Link to={paths.lead(leadId)} className={LINK}>
          {customer}
        </Link>
        {allocations.map(({ invoiceId, number }) => (
          <Link key={invoiceId} to={paths.invoice(invoiceId)} className={LINK}>
            {number ?? t('Invoice')}
          </Link>
        ))}
      </p>
      <p className="text-crew font-semibold tabular-nums">
        {sign}
        {formatCents(amount)}
      </p>
      <p className="basis-full text-note text-muted wrap-anywhere">
        {[formatCalendarDay(receivedOn), label, PAYMENT_METHODS[method], reference].filter(Boolean).join(' · ')}
      </p>
    </li>
  )
}
