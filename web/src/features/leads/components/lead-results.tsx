import { type LeadDrilldown, describeLeadDrilldown } from '@/domain/drilldown'
import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
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
      <Shape leads={rows.leads} label={t('Leads, {order}', { order })} arrivals={arrivals} timeZone={timeZone} />
      {list.hasMore && (
        <div className="grid justify-items-center gap-2 py-2">
          <p className="text-note text-muted">
            {t('{count} of {total} shown', {
              count: formatCount(rows.leads.length),
              total: formatListTotal(rows.total),
            })}
          </p>
          <Button
            variant="secondary"
            pending={list.isLoadingMore}
            pendingText={t('Loading...')}
            onClick={list.loadMore}
          >
            {t('Show more')}
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
              {drilldown ? t('Show all leads') : leadsMessages.clearFilters}
            </Button>
          )
        }
      />
    </div>
  )
}

function noLeadsText(drilldown: LeadDrilldown, isSearch: boolean): string {
  const figure = describeLeadDrilldown(drilldown)
  if (!drilldown.from)
    return isSearch ? t('No leads like that: {figure}', { figure }) : t('No leads: {figure}', { figure })
  return isSearch
    ? t('No leads like that in these days: {figure}', { figure })
    : t('No leads in these days: {figure}', { figure })
}

function resultsText({ total }: LeadRows, list: LeadList): string {
  const count = { count: formatListTotal(total) }
  if (!list.isLocal) return plural(total, '{count} lead found', '{count} leads found', count)
  return list.query.isFetching
    ? plural(
        total,
        '{count} lead found on this device, searching on...',
        '{count} leads found on this device, searching on...',
        count,
      )
    : plural(
        total,
        '{count} lead found among those saved on this device',
        '{count} leads found among those saved on this device',
        count,
      )
}
