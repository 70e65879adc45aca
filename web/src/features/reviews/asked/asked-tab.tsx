// Who was asked for a review, how it stands with each, and why somebody was not asked.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatCount } from '@/lib/format/number'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { ChipChoice } from '@/ui/chip-choice'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { Skeleton } from '@/ui/skeleton'
import { DaysChip } from '../components/days-chip'
import { rowsOf } from '../lib/rows'
import { type AskFilterBox, STATE_CHIPS, useAskFilters } from '../lib/use-ask-filters'
import { reviewsMessages } from '../messages'
import { asksAskedFor, reviewQueries } from '../queries'
import type { Ask } from '../types'
import { AskCard } from './ask-card'

const MINUTE_MS = 60_000
const texts = reviewsMessages.asks

export function AskedTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const box = useAskFilters()
  const list = useInfiniteQuery(reviewQueries.asks(orgId, box.filters))
  const rows = useMemo(() => list.data && rowsOf(list.data.pages), [list.data])
  const isNarrowed = Object.keys(asksAskedFor(box.filters)).length > 0
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Filters box={box} first={rows?.items[0]} />
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
            <NoMatch onClear={box.clear} />
          ) : (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
              {isNarrowed && (
                <p role="status" className="text-note text-muted">
                  {formatCount(total)} found
                </p>
              )}
              <Cards asks={items} timeZone={orgTimezone} />
              {list.hasNextPage && (
                <div className="grid justify-items-center gap-2 py-2">
                  <p className="text-note text-muted">
                    {formatCount(items.length)} of {formatCount(total)} shown
                  </p>
                  <Button
                    variant="secondary"
                    pending={list.isFetchingNextPage}
                    pendingText="Loading..."
                    onClick={() => void list.fetchNextPage()}
                  >
                    Show more
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

function Filters({ box: { filters, text, change }, first }: { box: AskFilterBox; first: Ask | undefined }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SearchBox
        label="Search who was asked by name, phone or email"
        placeholder="Name, phone or email"
        value={text}
        onChange={(q) => change({ q })}
      />
      <ChipChoice legend="State" chips={STATE_CHIPS} value={filters.state} onChange={(state) => change({ state })} />
      <DaysChip days={filters} onChange={change} />
      {filters.customerId !== '' && (
        <Button
          variant="secondary"
          icon="close"
          className="min-h-11! w-fit text-note!"
          onClick={() => change({ customerId: '' })}
        >
          {first ? `Only ${first.customerName}` : 'Only one customer'}
        </Button>
      )}
    </div>
  )
}

function Cards({ asks, timeZone }: { asks: readonly Ask[]; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  return (
    <ul aria-label="Who was asked, newest first" className="grid items-start gap-3 lg:grid-cols-2">
      {asks.map((ask) => (
        <li key={ask.id} className="min-w-0">
          <AskCard ask={ask} clock={{ timeZone, now }} />
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
            Show everybody
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
