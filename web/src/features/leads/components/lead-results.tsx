import { type LeadDrilldown, describeLeadDrilldown } from '@/domain/drilldown'
import { formatCount } from '@/lib/format/number'
import { formatListTotal } from '@/lib/list-total'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { DEFAULT_SORT, LEAD_SORTS } from '../lib/lead-filters'
import type { LeadFilterState } from '../lib/use-lead-filters'
import type { LeadList, LeadRows } from '../lib/use-lead-list'
import { leadsMessages } from '../messages'
import { LeadCards } from './lead-cards'
import { LeadTable } from './lead-table'

type LeadResultsProps = {
  rows: LeadRows
  list: LeadList
  isSearch: boolean
  drilldown: LeadDrilldown | undefined
  filterState: LeadFilterState
  onClear: () => void
  arrivals: ReadonlySet<string>
  timeZone: string
}

export function LeadResults(props: LeadResultsProps) {
  const { rows, list, isSearch, drilldown, filterState, arrivals, timeZone } = props
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const Shape = isWide ? LeadTable : LeadCards
  if (rows.leads.length === 0) return <NothingFound {...props} />
  const order = LEAD_SORTS[filterState.filters.sort ?? DEFAULT_SORT].toLowerCase()
  return (
    <div className="grid gap-3" aria-busy={list.isLocal && list.query.isFetching}>
      {(isSearch || filterState.isNarrowed) && !drilldown && (
        <p role="status" className="text-note text-muted">
          {resultsText(rows, list)}
        </p>
      )}
      <Shape leads={rows.leads} label={`Leads, ${order}`} arrivals={arrivals} timeZone={timeZone} />
      {list.hasMore && (
        <div className="grid justify-items-center gap-2 py-2">
          <p className="text-note text-muted">
            {formatCount(rows.leads.length)} of {formatListTotal(rows.total)} shown
          </p>
          <Button variant="secondary" pending={list.isLoadingMore} pendingText="Loading..." onClick={list.loadMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

function NothingFound({ isSearch, drilldown, filterState, onClear }: LeadResultsProps) {
  const { isNarrowed, clear } = filterState
  const title = drilldown ? noLeadsText(drilldown, isSearch) : leadsMessages[isNarrowed ? 'noneFiltered' : 'noMatch']
  return (
    <div className="glass-card" role="status">
      <EmptyState
        icon="search"
        title={title}
        action={
          (drilldown || isNarrowed) && (
            <Button variant="secondary" icon="close" onClick={drilldown ? onClear : clear}>
              {drilldown ? 'Show all leads' : leadsMessages.clearFilters}
            </Button>
          )
        }
      />
    </div>
  )
}

function noLeadsText(drilldown: LeadDrilldown, isSearch: boolean): string {
  return `${isSearch ? 'No leads like that' : 'No leads'}${drilldown.from ? ' in these days' : ''}: ${describeLeadDrilldown(drilldown)}`
}

function resultsText({ total }: LeadRows, list: LeadList): string {
  const count = `${formatListTotal(total)} ${total === 1 ? 'lead' : 'leads'} found`
  if (!list.isLocal) return count
  return list.query.isFetching
    ? `${count} on this device, searching on...`
    : `${count} among those saved on this device`
}
