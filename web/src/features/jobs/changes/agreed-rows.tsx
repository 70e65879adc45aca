// What was agreed, and what changes it, as rows that add up.
import { classNames } from '@/lib/class-names'
import { formatCents } from '@/lib/format/money'

export type AgreedRow = {
  label: string
  amount: number
  /** Shown with its sign: more, or less. */
  isAdded?: boolean
  isMain?: boolean
}

/** Cents that a computer's halves leave over are no money. */
const inCents = (amount: number) => Math.round(amount * 100) / 100

function amountOf({ amount, isAdded = false }: AgreedRow): string {
  const exact = inCents(amount)
  return isAdded && exact > 0 ? `+${formatCents(exact)}` : formatCents(exact)
}

export function AgreedRows({ rows }: { rows: readonly AgreedRow[] }) {
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
          <dd>{amountOf(row)}</dd>
        </div>
      ))}
    </dl>
  )
}
