import { classNames } from '@/lib/class-names'
import { formatCents } from '@/lib/format/money'

export type AgreementRow = {
  label: string
  amount: number
  /** Shown with its sign: more, or less. */
  isAdded?: boolean
  isMain?: boolean
}

/** Cents that a computer's halves leave over are no money. */
const roundToCents = (amount: number) => Math.round(amount * 100) / 100

function formatRowAmount({ amount, isAdded = false }: AgreementRow): string {
  const exact = roundToCents(amount)
  return isAdded && exact > 0 ? `+${formatCents(exact)}` : formatCents(exact)
}

export function AgreementRows({ rows }: { rows: readonly AgreementRow[] }) {
  return (
    <dl aria-live="polite" className="grid gap-1 rounded-field border border-primary/22 bg-primary/8 p-3 tabular-nums">
      {rows.map((row) => (
        <div
          key={row.label}
          className={classNames(
            'flex items-baseline justify-between gap-4',
            row.isMain ? 'border-t border-primary/22 pt-1 text-crew font-semibold' : 'text-note text-muted',
          )}
        >
          <dt>{row.label}</dt>
          <dd>{formatRowAmount(row)}</dd>
        </div>
      ))}
    </dl>
  )
}
