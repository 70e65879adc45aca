// What a rating looks like: green, yellow or red by product rules, and in words.
import type { Tone } from '@/domain/tone'

export const MOST_STARS = 5
/** From these on the badge is green, or yellow. */
const GREEN_FROM = 4.5
const YELLOW_FROM = 3.5

export function ratingTone(rating: number): Tone {
  if (rating >= GREEN_FROM) return 'success'
  return rating >= YELLOW_FROM ? 'warning' : 'error'
}

/** `4.5 out of 5 stars` */
export const starWords = (rating: number) => `${rating} out of ${MOST_STARS} stars`
