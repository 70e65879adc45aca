// The rating as a badge: green, yellow or red.
import { Badge } from '@/ui/badge'
import { ratingTone } from '../lib/rating'

export function RatingBadge({ rating }: { rating: number }) {
  return (
    <Badge tone={ratingTone(rating)} icon="star" className="shrink-0 tabular-nums">
      <span>
        <span className="sr-only">Rating </span>
        {rating.toFixed(1)}
      </span>
    </Badge>
  )
}
