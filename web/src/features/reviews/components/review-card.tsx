import { lazy, Suspense, useState } from 'react'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { IconButton } from '@/ui/button'
import { reviewsMessages as texts } from '../messages'
import type { Review } from '../types'
import { ReviewReply } from './review-reply'
import { RatingBadge } from './rating-badge'
import { Stars } from './stars'
import { ReviewCustomer } from './review-customer'

const RemoveReviewDialog = lazy(async () => ({
  default: (await import('../actions/remove-dialog')).RemoveReviewDialog,
}))

/** Reviews by customers cannot be removed. */
const isRemovable = ({ way }: Review) => way === 'hand' || way === 'csv'

type ReviewCardProps = { review: Review; /** It stands by itself, and is to be answered. */ isAnswering?: boolean }

export function ReviewCard({ review, isAnswering = false }: ReviewCardProps) {
  const { customer_name: name, date, rating, review_text: text, source } = review
  return (
    <article className="glass-card grid content-start gap-3 p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew wrap-anywhere">{name ?? <span className="text-muted">{texts.anonymous}</span>}</h2>
          <p className="text-note text-muted">{date ? formatCalendarDay(date) : texts.noDate}</p>
        </div>
        <div className="flex items-center">
          <RatingBadge rating={rating} />
          {isRemovable(review) && <RemoveButton review={review} />}
        </div>
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Stars rating={rating} />
        <Badge tone="neutral" icon="message">
          <span className="wrap-anywhere">{source}</span>
        </Badge>
      </p>
      {text ? (
        <p className="whitespace-pre-line wrap-anywhere">{text}</p>
      ) : (
        <p className="text-muted">{texts.noText}</p>
      )}
      <ReviewCustomer review={review} />
      <ReviewReply review={review} isOpen={isAnswering} />
    </article>
  )
}

function RemoveButton({ review }: { review: Review }) {
  const isOnline = useOnline()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <IconButton
        label={t('Remove the review of {name}', { name: review.customer_name ?? texts.anonymous })}
        icon="trash"
        className="-my-2.5 -mr-2.5"
        disabled={!isOnline}
        onClick={() => setIsAsking(true)}
      />
      {isAsking && (
        <Suspense fallback={null}>
          <RemoveReviewDialog review={review} onClose={() => setIsAsking(false)} />
        </Suspense>
      )}
    </>
  )
}
