import type { Schema } from '@/api/client'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'

export type JobCost = Schema['JobCost']
export type JobCosts = Schema['JobCosts']
export type NewJobCost = Schema['NewJobCost']
export type CostKind = Schema['JobCostKind']

export const COST_KINDS = { materials: t('Materials'), labor: t('Labor'), other: t('Other') } as const satisfies Record<
  CostKind,
  string
>

/** `2.5 h at $45.50`, `3 at $12.00`; nothing for a single amount. */
export function formatCostBreakdown({
  kind,
  quantity,
  rate,
}: Pick<JobCost, 'kind' | 'quantity' | 'rate'>): string | undefined {
  if (quantity === 1) return undefined
  const values = { quantity, rate: formatCents(rate) }
  return kind === 'labor' ? t('{quantity} h at {rate}', values) : t('{quantity} at {rate}', values)
}

/** The same cost once more, for who took it away by mistake. */
export function toNewJobCost({ kind, quantity, rate, amount, note }: JobCost): NewJobCost {
  return { kind, ...(quantity === 1 ? { amount } : { quantity, rate }), ...(note ? { note } : {}) }
}
