// What a figure counts in a list of leads, as the figure says it: calls and estimates are more than the leads they belong to.
import type { LeadsBehind } from '@/domain/behind'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import type { ListTotal } from '@/lib/list-total'

const many = (count: number, one: string) => `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`

/** `3 missed calls of 1 lead`, `2 estimates of 2 leads · $1,340.55`, `4 leads`. */
export function foundWords(
  { calls, quotes, by, promise }: LeadsBehind,
  { total, counted = total, amount }: ListTotal,
): string {
  const what =
    (calls && 'missed call') ??
    (quotes && 'estimate') ??
    (by === 'automation' ? 'automatic action' : undefined) ??
    (promise && promise !== 'owed' ? 'promise' : undefined)
  const leads = many(total, 'lead')
  return `${what ? `${many(counted, what)} of ${leads}` : leads}${amount === undefined ? '' : ` · ${formatCents(amount)}`}`
}
