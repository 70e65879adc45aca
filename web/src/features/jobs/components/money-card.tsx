// Money of a job, hidden from crews.
import { formatCents } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
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
    <Card title={t('Money')} icon="dollar">
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-3">
        <AmountRow label={t('Total estimate')} amount={estimateTotal} otherwise={t('Not quoted')} />
        <AmountRow label={t('Deposit received')} amount={depositAmount} otherwise={t('None')} />
        <AmountRow
          label={t('Balance due')}
          amount={balanceDue}
          otherwise={t('None')}
          isMarked={(balanceDue ?? 0) > 0}
        />
      </dl>
      {agreed && agreed.changeOrders !== 0 && <MoneyRows agreed={agreed} />}
      {paymentFailed && (
        <div className="mt-3">
          <StatusLine tone="error" icon="alert">
            {t('Their card was refused, and nothing was paid since. The invoice says when.')}
          </StatusLine>
        </div>
      )}
    </Card>
  )
}

/** Of what the total is made once something was added to it, or taken off. */
function MoneyRows({ agreed: { estimate, changeOrders } }: { agreed: NonNullable<JobDetail['agreed']> }) {
  const values = { estimate: formatCents(estimate ?? 0), amount: formatCents(Math.abs(changeOrders)) }
  return (
    <p className="mt-3 text-note text-muted tabular-nums">
      {changeOrders > 0
        ? t('Agreed: {estimate} before, and {amount} by change orders', values)
        : t('Agreed: {estimate} before, less {amount} by change orders', values)}
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
