import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { mergePages } from '../lib/merge-pages'
import { useReviewFilters } from '../lib/use-review-filters'
import { reviewsMessages as texts } from '../messages'
import { hasReviewFilters, reviewQueries } from '../queries'
import { NoReviews } from './no-reviews'
import { ReviewCard } from './review-card'
import { ReviewFilterBar } from './review-filter-bar'
import { ReviewResults } from './review-results'
import { ReviewsToolbar } from './reviews-toolbar'

export function ReviewsTab() {
  const [params] = useSearchParams()
  const id = params.get('review')
  return id ? <OneReview key={id} id={id} /> : <AllReviews />
}

function AllReviews() {
  const { orgId, orgTimezone } = useCurrentUser()
  const filterState = useReviewFilters()
  const list = useInfiniteQuery(reviewQueries.list(orgId, filterState.filters))
  const rows = useMemo(() => list.data && mergePages(list.data.pages), [list.data])
  const narrowed = hasReviewFilters(filterState.filters)
  // What is being typed is not looked for yet.
  const isEmpty = rows?.total === 0 && !narrowed && filterState.text === ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <ReviewsToolbar filters={filterState.filters} isEmpty={isEmpty} />
      {!isEmpty && <ReviewFilterBar filterState={filterState} />}
      <QueryBoundary
        query={{ ...list, data: rows }}
        skeleton={<ListSkeleton />}
        errorText={texts.listFailed}
        timeZone={orgTimezone}
        isEmpty={() => isEmpty}
        empty={<NoReviews />}
      >
        {(found) => (
          <ReviewResults
            {...found}
            isNarrowed={narrowed}
            onClear={filterState.clear}
            onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
            isLoadingMore={list.isFetchingNextPage}
          />
        )}
      </QueryBoundary>
    </div>
  )
}

function OneReview({ id }: { id: string }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const review = useQuery(reviewQueries.detail(orgId, id))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Link to={paths.reviews} className="text-link inline-flex min-h-11 w-fit items-center gap-2">
        <Icon name="arrow-left" />
        {t('All reviews')}
      </Link>
      <div className="max-w-2xl">
        <QueryBoundary
          query={review}
          skeleton={<Skeleton className="h-56 w-full rounded-box" />}
          errorText={texts.reviewFailed}
          timeZone={orgTimezone}
        >
          {(found) => <ReviewCard review={found} isAnswering />}
        </QueryBoundary>
      </div>
    </div>
  )
}

function ListSkeleton() {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      {Array.from({ length: 4 }, (_, card) => (
        <Skeleton key={card} className="h-56 w-full rounded-box" />
      ))}
    </div>
  )
}
