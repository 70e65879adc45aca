import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { reviewsMessages } from '../messages'
import type { Review } from '../types'
import { ReviewCard } from './review-card'

type ReviewResultsProps = {
  items: readonly Review[]
  total: number
  isNarrowed: boolean
  onClear: () => void
  /** Undefined on the last page. */
  onMore: (() => void) | undefined
  isLoadingMore: boolean
}

export function ReviewResults({ items, total, isNarrowed, onClear, onMore, isLoadingMore }: ReviewResultsProps) {
  if (items.length === 0) {
    return (
      <div className="glass-card" role="status">
        <EmptyState
          icon="search"
          title={reviewsMessages.noMatch}
          action={
            <Button variant="secondary" icon="close" onClick={onClear}>
              {t('Show all reviews')}
            </Button>
          }
        />
      </div>
    )
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {isNarrowed && (
        <p role="status" className="text-note text-muted">
          {plural(total, '{count} review found', '{count} reviews found', { count: formatCount(total) })}
        </p>
      )}
      <ul aria-label={t('Reviews, newest first')} className="grid items-start gap-3 lg:grid-cols-2">
        {items.map((review) => (
          <li key={review.id} className="min-w-0">
            <ReviewCard review={review} />
          </li>
        ))}
      </ul>
      {onMore && (
        <div className="grid justify-items-center gap-2 py-2">
          <p className="text-note text-muted">
            {t('{count} of {total} shown', { count: formatCount(items.length), total: formatCount(total) })}
          </p>
          <Button variant="secondary" pending={isLoadingMore} pendingText={t('Loading...')} onClick={onMore}>
            {t('Show more')}
          </Button>
        </div>
      )}
    </div>
  )
}
