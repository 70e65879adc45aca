import { formatCents } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'

/** In dollars, whether reckoned here or by the server. */
export type TotalsData = {
  subtotal: number
  discount: number
  taxes: readonly { name: string; rate: number; amount: number }[]
  total: number
  /** Due on approval; undefined where none can be asked for. */
  deposit?: number
}

type Row = { key: string; label: string; amount: number; isMain?: boolean }

function getTotalRows({ subtotal, discount, taxes, total, deposit = 0 }: TotalsData): Row[] {
  return [
    // A single sum equals the total and needs no further row.
    ...(discount === 0 && taxes.length === 0 ? [] : [{ key: 'subtotal', label: t('Subtotal'), amount: subtotal }]),
    ...(discount === 0 ? [] : [{ key: 'discount', label: t('Discount'), amount: -discount }]),
    ...taxes.map(({ name, rate, amount }) => ({
      key: `${rate} ${name}`,
      label: name === '' ? t('Tax {rate} %', { rate }) : name,
      amount,
    })),
    { key: 'total', label: t('Total'), amount: total, isMain: true },
    ...(deposit > 0 ? [{ key: 'deposit', label: t('Deposit on approval'), amount: deposit }] : []),
  ]
}

export function TotalRows({ sums }: { sums: TotalsData }) {
  return (
    <dl aria-live="polite" className="grid gap-1 tabular-nums">
      {getTotalRows(sums).map(({ key, label, amount, isMain = false }) => (
        <div
          key={key}
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
  )
}
