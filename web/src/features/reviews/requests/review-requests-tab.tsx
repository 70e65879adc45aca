import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatCount } from '@/lib/format/number'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ChipChoice } from '@/ui/chip-choice'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { Skeleton } from '@/ui/skeleton'
import { DayRangeChip } from '../components/day-range-chip'
import { mergePages } from '../lib/merge-pages'
import { type RequestFilterState, STATE_CHIPS, useRequestFilters } from '../lib/use-request-filters'
import { reviewsMessages } from '../messages'
import { toRequestQuery, reviewQueries } from '../queries'
import type { ReviewAsk } from '../types'
import { ReviewRequestCard } from './review-request-card'

const MINUTE_MS = 60_000
const texts = reviewsMessages.asks

export function ReviewRequestsTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const filterState = useRequestFilters()
  const list = useInfiniteQuery(reviewQueries.asks(orgId, filterState.filters))
  const rows = useMemo(() => list.data && mergePages(list.data.pages), [list.data])
  const isNarrowed = Object.keys(toRequestQuery(filterState.filters)).length > 0
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <RequestFilterBar filterState={filterState} first={rows?.items[0]} />
      <QueryBoundary
        query={{ ...list, data: rows }}
        skeleton={<ListSkeleton />}
        errorText={texts.failed}
        timeZone={orgTimezone}
        isEmpty={({ total }) => total === 0 && !isNarrowed}
        empty={
          <div className="glass-card">
            <EmptyState icon="send" title={texts.noneTitle}>
              <p>{texts.none}</p>
            </EmptyState>
          </div>
        }
      >
        {({ items, total }) =>
          items.length === 0 ? (
            <NoMatch onClear={filterState.clear} />
          ) : (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
              {isNarrowed && (
                <p role="status" className="text-note text-muted">
                  {t('{count} found', { count: formatCount(total) })}
                </p>
              )}
              <RequestCards asks={items} timeZone={orgTimezone} />
              {list.hasNextPage && (
                <div className="grid justify-items-center gap-2 py-2">
                  <p className="text-note text-muted">
                    {t('{count} of {total} shown', { count: formatCount(items.length), total: formatCount(total) })}
                  </p>
                  <Button
                    variant="secondary"
                    pending={list.isFetchingNextPage}
                    pendingText={t('Loading...')}
                    onClick={() => void list.fetchNextPage()}
                  >
                    {t('Show more')}
                  </Button>
                </div>
              )}
            </div>
          )
        }
      </QueryBoundary>
    </div>
  )
}

function RequestFilterBar({
  filterState: { filters, text, change },
  first,
}: {
  filterState: RequestFilterState
  first: ReviewAsk | undefined
}) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SearchBox
        label={t('Search who was asked by name, phone or email')}
        placeholder={t('Name, phone or email')}
        value={text}
        onChange={(q) => change({ q })}
      />
      <ChipChoice
        legend={t('State')}
        chips={STATE_CHIPS}
        value={filters.state}
        onChange={(state) => change({ state })}
      />
      <DayRangeChip days={filters} onChange={change} />
      {filters.customerId !== '' && (
        <Button
          variant="secondary"
          icon="close"
          className="min-h-11! w-fit text-note!"
          onClick={() => change({ customerId: '' })}
        >
          {first ? t('Only {name}', { name: first.customerName }) : t('Only one customer')}
        </Button>
      )}
    </div>
  )
}

function RequestCards({ asks, timeZone }: { asks: readonly ReviewAsk[]; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  return (
    <ul aria-label={t('Who was asked, newest first')} className="grid items-start gap-3 lg:grid-cols-2">
      {asks.map((ask) => (
        <li key={ask.id} className="min-w-0">
          <ReviewRequestCard ask={ask} clock={{ timeZone, now }} />
        </li>
      ))}
    </ul>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className="glass-card" role="status">
      <EmptyState
        icon="search"
        title={texts.noMatch}
        action={
          <Button variant="secondary" icon="close" onClick={onClear}>
            {t('Show everybody')}
          </Button>
        }
      />
    </div>
  )
}

function ListSkeleton() {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      {Array.from({ length: 4 }, (_, card) => (
        <Skeleton key={card} className="h-40 w-full rounded-box" />
      ))}
    </div>
  )
}
