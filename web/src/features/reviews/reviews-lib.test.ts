import { describe, expect, it } from 'vitest'
import { buildAsk } from '@/testing/review-builders'
import { describeLastRequest, describeNextRequest, describeStep } from './lib/request-text'
import { isCalendarMonth, addMonths, formatCalendarMonth } from './lib/months'
import { getRatingTone } from './lib/rating'
import { EMPTY_REVIEW, parseRating, reviewSchema, toReviewRequest } from './schema'
import type { ReviewAskStep } from './types'

it.each([
  [5, 'success'],
  [4.5, 'success'],
  [4.4, 'warning'],
  [3.5, 'warning'],
  [3.4, 'error'],
  [1, 'error'],
])('rating of %s: %s', (rating, tone) => expect(getRatingTone(rating)).toBe(tone))

describe('parseRating', () => {
  it.each([
    ['5', 5],
    ['4.5', 4.5],
    ['4,5', 4.5],
    ['1', 1],
  ])('accepts %s', (typed, rating) => expect(parseRating(typed)).toBe(rating))

  it.each(['', '0', '0.9', '5.1', '6', '4.55', '-3', 'five', '1e0'])('refuses %s', (typed) =>
    expect(parseRating(typed)).toBeUndefined(),
  )

  it('request body: rating as number, empty fields as null', () => {
    const typed = { ...EMPTY_REVIEW, rating: ' 4.5 ', customer_name: ' Ann Lee ' }
    expect(toReviewRequest(reviewSchema.parse(typed))).toEqual({
      customer_name: 'Ann Lee',
      rating: 4.5,
      date: null,
      source: null,
      review_text: null,
      phone: null,
      email: null,
    })
  })
})

describe('review request text', () => {
  const clock = { timeZone: 'America/Chicago', now: Date.parse('2026-11-21T18:00:00Z') }
  const step = (parts: Partial<ReviewAskStep>): ReviewAskStep => ({
    step: 'review_3',
    dueAt: '2026-11-23T16:00:00.000Z',
    state: 'waiting',
    reason: null,
    channel: null,
    messageId: null,
    ...parts,
  })

  it('names channel and time of the last request', () => {
    expect(describeLastRequest(buildAsk(), clock)).toBe('Asked by SMS, yesterday 10:00 AM')
    expect(describeLastRequest(buildAsk({ channel: 'email' }), clock)).toBe('Asked by email, yesterday 10:00 AM')
    expect(describeLastRequest(buildAsk({ askedAt: null }), clock)).toBe('')
  })

  it('names the next request, or none', () => {
    expect(describeNextRequest(buildAsk({ state: 'waiting', plannedAt: '2026-11-21T19:00:00.000Z' }), clock)).toBe(
      'Goes out today 1:00 PM',
    )
    expect(describeNextRequest(buildAsk({ state: 'waiting', plannedAt: null }), clock)).toBe('Waits for the payment')
    expect(
      describeNextRequest(buildAsk({ state: 'waiting', plannedAt: null, reason: 'It is not paid yet' }), clock),
    ).toBe('')
    expect(
      describeNextRequest(buildAsk({ steps: [step({ step: 'review_ask', state: 'done' }), step({})] }), clock),
    ).toBe('Second request goes out Mon, Nov 23 10:00 AM, unless they answer first')
    expect(describeNextRequest(buildAsk({ steps: [step({ step: 'review_7', state: 'skipped' })] }), clock)).toBe(
      'No further request goes out',
    )
    expect(describeNextRequest(buildAsk({ state: 'stopped' }), clock)).toBe('')
  })

  it('describes each step', () => {
    expect(describeStep(step({ state: 'done', channel: 'email' }), clock)).toBe('sent by email, Mon, Nov 23 10:00 AM')
    expect(
      describeStep(step({ state: 'done', channel: 'sms', unsent: 'Waiting to send: it is night there' }), clock),
    ).toBe('waiting to send: it is night there')
    expect(describeStep(step({}), clock)).toBe('goes out Mon, Nov 23 10:00 AM')
    expect(describeStep(step({ state: 'stopped', reason: 'they said STOP' }), clock)).toBe('not sent: they said STOP')
  })
})

describe('calendar month', () => {
  it('is parsed, formatted and incremented', () => {
    expect(['2026-11', '2026-01', '2026-00', '2026-13', '2026-1', ''].map(isCalendarMonth)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(formatCalendarMonth('2026-11')).toBe('November 2026')
    expect([addMonths('2026-12', 1), addMonths('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
  })
})
