import { useQuery } from '@tanstack/react-query'
import { classNames } from '@/lib/class-names'
import { formatCents } from '@/lib/format/money'
import { PaymentItem } from '@/features/ledger/payment-item'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { invoiceQueries } from '../queries'
import type { InvoiceView } from '../types'

type Payment = InvoiceView['payments'][number]

export function PaymentsCard({
  invoice: { id, leadId, status, payments, total, paid, balance },
}: {
  invoice: InvoiceView
}) {
  const { orgId } = useCurrentUser()
  const { data: lead } = useQuery(invoiceQueries.lead(orgId, leadId))
  if (status === 'draft' && payments.length === 0) return null
  const writtenOff = getWrittenOff(payments, id)
  const rows = [
    { label: t('Total'), amount: total },
    { label: t('Paid'), amount: paid - writtenOff },
    ...(writtenOff > 0 ? [{ label: t('Written off'), amount: writtenOff }] : []),
    { label: t('Open'), amount: status === 'void' ? 0 : balance, isMain: true },
  ]
  return (
    <Card title={t('Payments')} icon="dollar">
      <div className="grid gap-4">
        {payments.length === 0 ? (
          <p className="text-muted">{t('Nothing was paid yet.')}</p>
        ) : (
          <ul aria-label={t('Payments')} className="grid gap-2">
            {payments.map((payment) => (
              <PaymentItem
                key={payment.id}
                payment={payment}
                allocatedAmount={getAllocated(payment, id)}
                email={lead?.email}
              />
            ))}
          </ul>
        )}
        <dl className="grid gap-1 tabular-nums">
          {rows.map(({ label, amount, isMain = false }) => (
            <div
              key={label}
              className={classNames(
                'flex justify-between gap-4',
                isMain ? 'border-t border-primary/22 pt-1 text-crew font-semibold' : 'text-note text-muted',
              )}
            >
              <dt>{label}</dt>
              <dd>{formatCents(amount)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}

/** What of the invoice was settled without money. */
function getWrittenOff(payments: Payment[], invoiceId: string): number {
  return payments
    .filter(({ kind }) => kind === 'write_off')
    .flatMap(({ allocations }) => allocations)
    .filter((one) => one.invoiceId === invoiceId)
    .reduce((sum, one) => sum + one.amount, 0)
}

/** Of a payment for several invoices only its part counts here. */
function getAllocated({ amount, allocations }: Payment, invoiceId: string): number {
  const part = allocations.filter((one) => one.invoiceId === invoiceId).reduce((sum, one) => sum + one.amount, 0)
  return part === 0 ? amount : Math.abs(part)
}
