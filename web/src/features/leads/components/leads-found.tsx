// The rows, in the shape the screen is wide enough for, and the way to more of them.
import { type LeadsBehind, leadsBehindWords } from '@/domain/behind'
import { formatCount } from '@/lib/format/number'
import { useMedia } from '@/lib/hooks/use-media'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { leadsMessages } from '../messages'
import type { LeadList, LeadRows } from '../lib/use-lead-list'
import { LeadCards } from './lead-cards'
import { LeadTable } from './lead-table'

type LeadsFoundProps = {
  rows: LeadRows
  list: LeadList
  isSearch: boolean
  behind: LeadsBehind | undefined
  onClear: () => void
  arrivals: ReadonlySet<string>
  timeZone: string
}

export function LeadsFound({ rows, list, isSearch, behind, onClear, arrivals, timeZone }: LeadsFoundProps) {
  const isWide = useMedia('(min-width: 56rem)', true)
  const Shape = isWide ? LeadTable : LeadCards
  if (rows.leads.length === 0) {
    const all = behind && (
      <Button variant="secondary" icon="close" onClick={onClear}>
        Show all leads
      </Button>
    )
    return (
      <div className="glass-card" role="status">
        <EmptyState icon="search" title={behind ? noneWords(behind, isSearch) : leadsMessages.noMatch} action={all} />
      </div>
    )
  }
  return (
    <div className="grid gap-3" aria-busy={list.isLocal && list.query.isFetching}>
      {isSearch && !behind && (
        <p role="status" className="text-note text-muted">
          {foundText(rows, list)}
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

function noneWords(behind: LeadsBehind, isSearch: boolean): string {
  return `${isSearch ? 'No leads like that' : 'No leads'}${behind.from ? ' in these days' : ''}: ${leadsBehindWords(behind)}`
}

function foundText({ total }: LeadRows, list: LeadList): string {
  const count = `${formatCount(total)} ${total === 1 ? 'lead' : 'leads'} found`
  if (!list.isLocal) return count
  return list.query.isFetching
    ? `${count} on this device, searching on...`
    : `${count} among those saved on this device`
}
