// Totals by category, each filtering the cases.
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import type { Schema } from '@/api/client'
import { RECOVERY_CATEGORIES } from '../lib/labels'
import type { RecoveryCategory } from '../queries'

type RecoveredTotalsCardProps = {
  sums: Schema['Recovered']
  chosen: RecoveryCategory | undefined
  onChoose: (category: RecoveryCategory | undefined) => void
}

export function RecoveredTotalsCard({ sums: { total, categories }, chosen, onChoose }: RecoveredTotalsCardProps) {
  return (
    <Card title={t('Recovered')} icon="dollar">
      <p className="text-figure leading-tight font-semibold text-success tabular-nums">{formatCents(total)}</p>
      <ul aria-label={t('By what it came after')} className="mt-3 grid gap-2">
        {categories.map(({ category, amount, chains }) => (
          <li key={category}>
            <button
              type="button"
              aria-pressed={chosen === category}
              onClick={() => onChoose(chosen === category ? undefined : category)}
              className="grid min-h-12 w-full cursor-pointer grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-field border border-primary/30 p-3 text-left hover:bg-primary/8 aria-pressed:border-primary aria-pressed:bg-primary/12"
            >
              <span className="font-semibold">{RECOVERY_CATEGORIES[category].label}</span>
              <span className="font-semibold tabular-nums">{formatCents(amount)}</span>
              <span className="text-caption text-muted">{RECOVERY_CATEGORIES[category].is}</span>
              <span className="text-right text-caption text-muted tabular-nums">
                {plural(chains, '{count} case', '{count} cases', { count: formatCount(chains) })}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
