// Money of a job, hidden from crews.
import { formatCents } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import type { JobDetail } from '../types'

export function JobMoneyCard({
  job: { estimateTotal, depositAmount, balanceDue, paymentFailed, agreed },
}: {
  job: JobDetail
}) {
  const isTold = [estimateTotal, depositAmount, balanceDue].some((amount) => typeof amount === 'number')
  if (!isTold) return null
  return (
    <Card title="Money" icon="dollar">
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-3">
        <AmountRow label="Total estimate" amount={estimateTotal} otherwise="Not quoted" />
        <AmountRow label="Deposit received" amount={depositAmount} otherwise="None" />
        <AmountRow label="Balance due" amount={balanceDue} otherwise="None" isMarked={(balanceDue ?? 0) > 0} />
      </dl>
      {agreed && agreed.changeOrders !== 0 && <MoneyRows agreed={agreed} />}
      {paymentFailed && (
        <div className="mt-3">
          <StatusLine tone="error" icon="alert">
            Their card was refused, and nothing was paid since. The invoice says when.
          </StatusLine>
        </div>
      )}
    </Card>
  )
}

/** Of what the total is made once something was added to it, or taken off. */
function MoneyRows({ agreed: { estimate, changeOrders } }: { agreed: NonNullable<JobDetail['agreed']> }) {
  const isMore = changeOrders > 0
  return (
    <p className="mt-3 text-note text-muted tabular-nums">
      Agreed: {formatCents(estimate ?? 0)} before, {isMore ? 'and' : 'less'} {formatCents(Math.abs(changeOrders))} by
      change orders
    </p>
  )
}

type AmountProps = { label: string; amount: number | null | undefined; otherwise: string; isMarked?: boolean }

function AmountRow({ label, amount, otherwise, isMarked = false }: AmountProps) {
  const isKnown = typeof amount === 'number'
  return (
    <div className="flex items-baseline justify-between gap-3 sm:block">
      <dt className="text-note text-muted">{label}</dt>
      <dd
        className={classNames(
          'tabular-nums',
          isKnown ? 'text-crew font-semibold' : 'text-muted',
          isMarked && 'text-warning',
        )}
      >
        {isKnown ? formatCents(amount) : otherwise}
      </dd>
    </div>
  )
}
