// Counted items of a drilldown as text; calls and estimates can exceed leads.
import type { LeadDrilldown } from '@/domain/drilldown'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { plural } from '@/lib/i18n'
import type { ListTotal } from '@/lib/list-total'

/** `3 missed calls of 1 lead`, `2 estimates of 2 leads · $1,340.55`, `4 leads`. */
export function describeLeadCount(drilldown: LeadDrilldown, { total, counted = total, amount }: ListTotal): string {
  const leads = plural(total, '{count} lead', '{count} leads', { count: formatCount(total) })
  const sum = amount === undefined ? '' : ` · ${formatCents(amount)}`
  return `${describeCounted(drilldown, counted, leads)}${sum}`
}

function describeCounted({ calls, quotes, by, promise }: LeadDrilldown, counted: number, leads: string): string {
  const values = { count: formatCount(counted), leads }
  if (calls) return plural(counted, '{count} missed call of {leads}', '{count} missed calls of {leads}', values)
  if (quotes) return plural(counted, '{count} estimate of {leads}', '{count} estimates of {leads}', values)
  if (by === 'automation')
    return plural(counted, '{count} automatic action of {leads}', '{count} automatic actions of {leads}', values)
  if (promise && promise !== 'owed')
    return plural(counted, '{count} promise of {leads}', '{count} promises of {leads}', values)
  return leads
}
