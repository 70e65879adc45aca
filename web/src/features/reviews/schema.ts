import * as z from 'zod/mini'
import { reviewsMessages as texts } from './messages'
import type { NewReview } from './types'

export const REVIEW_FIELD_LIMITS = { name: 120, source: 40, text: 5000, reply: 4000 } as const
const [WORST, BEST] = [1, 5]

const text = () => z.string().check(z.trim())

/** `5`, `4.5` and `4,5`; undefined for invalid input. */
export function parseRating(typed: string): number | undefined {
  if (!/^\d(?:[.,]\d)?$/.test(typed)) return undefined
  const rating = Number(typed.replace(',', '.'))
  return rating >= WORST && rating <= BEST ? rating : undefined
}

export const reviewSchema = z.object({
  customer_name: text(),
  rating: text().check(z.refine((typed) => parseRating(typed) !== undefined, texts.rating)),
  date: z.string(),
  source: text(),
  review_text: text(),
  phone: text(),
  email: text().check(z.refine((typed) => typed === '' || /^\S+@\S+\.\S+$/.test(typed), texts.email)),
})
export type ReviewValues = z.infer<typeof reviewSchema>

export const EMPTY_REVIEW: ReviewValues = {
  customer_name: '',
  rating: '',
  date: '',
  source: '',
  review_text: '',
  phone: '',
  email: '',
}

const orNull = (typed: string) => (typed === '' ? null : typed)

/** As the API expects it; empty fields are omitted. */
export function toReviewRequest({
  customer_name,
  rating,
  date,
  source,
  review_text,
  phone,
  email,
}: ReviewValues): NewReview {
  return {
    customer_name: orNull(customer_name),
    // The form has checked it.
    rating: parseRating(rating) ?? BEST,
    date: orNull(date),
    source: orNull(source),
    review_text: orNull(review_text),
    phone: orNull(phone),
    email: orNull(email),
  }
}
