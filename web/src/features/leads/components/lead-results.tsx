import { type LeadDrilldown, describeLeadDrilldown } from '@/domain/drilldown'
import { formatCount } from '@/lib/format/number'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { leadsMessages } from '../messages'
import type { LeadList, LeadRows } from '../lib/use-lead-list'
import { LeadCards } from './lead-cards'
import { LeadTable } from './lead-table'

type LeadResultsProps = {
  rows: LeadRows
  list: LeadList
  isSearch: boolean
  drilldown: LeadDrilldown | undefined
  onClear: () => void
  arrivals: ReadonlySet<string>
  timeZone: string
}

export function LeadResults({ rows, list, isSearch, drilldown, onClear, arrivals, timeZone }: LeadResultsProps) {
  const isWide = useMediaQuery('(min-width: 56rem)', true)
  const Shape = isWide ? LeadTable : LeadCards
  if (rows.leads.length === 0) {
    const all = drilldown && (
      <Button variant="secondary" icon="close" onClick={onClear}>
        Show all leads
      </Button>
    )
    return (
      <div className="glass-card" role="status">
        <EmptyState
          icon="search"
          title={drilldown ? noLeadsText(drilldown, isSearch) : leadsMessages.noMatch}
          action={all}
        />
      </div>
    )
  }
  return (
    <div className="grid gap-3" aria-busy={list.isLocal && list.query.isFetching}>
      {isSearch && !drilldown && (
        <p role="status" className="text-note text-muted">
          {resultsText(rows, list)}
        </p>
      )}
      <Shape leads={rows.leads} arrivals={arrivals} timeZone={timeZone} />
      {list.hasMore && (
        <div className="grid justify-items-center gap-2 py-2">
          <p className="text-note text-muted">
            {formatCount(rows.leads.length)} of {formatCount(rows.total)} shown
          </p>
          <Button variant="secondary" pending={list.isLoadingMore} pendingText="Loading..." onClick={list.loadMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

function noLeadsText(drilldown: LeadDrilldown, isSearch: boolean): string {
  return `${isSearch ? 'No leads like that' : 'No leads'}${drilldown.from ? ' in these days' : ''}: ${describeLeadDrilldown(drilldown)}`
}

function resultsText({ total }: LeadRows, list: LeadList): string {
  const count = `${formatCount(total)} ${total === 1 ? 'lead' : 'leads'} found`
  if (!list.isLocal) return count
  return list.query.isFetching
    ? `${count} on this device, searching on...`
    : `${count} among those saved on this device`
}
