import { Icon } from '@/ui/icon'
import { MAX_STARS, formatStars } from '../lib/rating'

export function Stars({ rating }: { rating: number }) {
  return (
    <span role="img" aria-label={formatStars(rating)} className="relative inline-flex w-fit">
      <StarRow className="text-muted" />
      <span className="absolute inset-y-0 left-0 overflow-hidden" style={{ width: `${(rating / MAX_STARS) * 100}%` }}>
        <StarRow className="text-warning *:fill-current" />
      </span>
    </span>
  )
}

function StarRow({ className }: { className: string }) {
  return (
    <span aria-hidden="true" className={`flex w-max ${className}`}>
      {Array.from({ length: MAX_STARS }, (_, star) => (
        <Icon key={star} name="star" />
      ))}
    </span>
  )
}
