import type { Tone } from '@/domain/tone'
import { t } from '@/lib/i18n'

export const MAX_STARS = 5
/** From these on the badge is green, or yellow. */
const GREEN_FROM = 4.5
const YELLOW_FROM = 3.5

export function getRatingTone(rating: number): Tone {
  if (rating >= GREEN_FROM) return 'success'
  return rating >= YELLOW_FROM ? 'warning' : 'error'
}

/** `4.5 out of 5 stars` */
export const formatStars = (rating: number) => t('{rating} out of {most} stars', { rating, most: MAX_STARS })
