// Counted items of a drilldown as text; calls and estimates can exceed leads.
import type { LeadDrilldown } from '@/domain/drilldown'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import type { ListTotal } from '@/lib/list-total'

const formatNounCount = (count: number, one: string) => `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`

/** `3 missed calls of 1 lead`, `2 estimates of 2 leads · $1,340.55`, `4 leads`. */
export function describeLeadCount(
  { calls, quotes, by, promise }: LeadDrilldown,
  { total, counted = total, amount }: ListTotal,
): string {
  const what =
    (calls && 'missed call') ??
    (quotes && 'estimate') ??
    (by === 'automation' ? 'automatic action' : undefined) ??
    (promise && promise !== 'owed' ? 'promise' : undefined)
  const leads = formatNounCount(total, 'lead')
  return `${what ? `${formatNounCount(counted, what)} of ${leads}` : leads}${amount === undefined ? '' : ` · ${formatCents(amount)}`}`
}
