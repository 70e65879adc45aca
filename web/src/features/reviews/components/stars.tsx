// One to five stars, filled as far as the rating goes.
import { Icon } from '@/ui/icon'
import { MOST_STARS, starWords } from '../lib/rating'

export function Stars({ rating }: { rating: number }) {
  return (
    <span role="img" aria-label={starWords(rating)} className="relative inline-flex w-fit">
      <Five className="text-muted" />
      <span className="absolute inset-y-0 left-0 overflow-hidden" style={{ width: `${(rating / MOST_STARS) * 100}%` }}>
        <Five className="text-warning *:fill-current" />
      </span>
    </span>
  )
}

function Five({ className }: { className: string }) {
  return (
    <span aria-hidden="true" className={`flex w-max ${className}`}>
      {Array.from({ length: MOST_STARS }, (_, star) => (
        <Icon key={star} name="star" />
      ))}
    </span>
  )
}
