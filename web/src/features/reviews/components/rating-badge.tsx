import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { getRatingTone } from '../lib/rating'

export function RatingBadge({ rating }: { rating: number }) {
  return (
    <Badge tone={getRatingTone(rating)} icon="star" className="shrink-0 tabular-nums">
      <span>
        <span className="sr-only">{t('Rating')} </span>
        {rating.toFixed(1)}
      </span>
    </Badge>
  )
}
