// Ratings, the words of an asking, and months, by themselves.
import { describe, expect, it } from 'vitest'
import { buildAsk } from '@/testing/review-builders'
import { askedWords, nextWords, stepWords } from './lib/ask-words'
import { isMonth, monthAfter, monthName } from './lib/months'
import { ratingTone } from './lib/rating'
import { EMPTY_REVIEW, readRating, reviewSchema, toReview } from './schema'
import type { AskStep } from './types'

it.each([
  [5, 'success'],
  [4.5, 'success'],
  [4.4, 'warning'],
  [3.5, 'warning'],
  [3.4, 'error'],
  [1, 'error'],
])('a rating of %s is %s', (rating, tone) => expect(ratingTone(rating)).toBe(tone))

describe('a rating that is typed', () => {
  it.each([
    ['5', 5],
    ['4.5', 4.5],
    ['4,5', 4.5],
    ['1', 1],
  ])('%s is one', (typed, rating) => expect(readRating(typed)).toBe(rating))

  it.each(['', '0', '0.9', '5.1', '6', '4.55', '-3', 'five', '1e0'])('%s is none', (typed) =>
    expect(readRating(typed)).toBeUndefined(),
  )

  it('goes to the server as a number, and what was left empty as nothing', () => {
    const typed = { ...EMPTY_REVIEW, rating: ' 4.5 ', customer_name: ' Ann Lee ' }
    expect(toReview(reviewSchema.parse(typed))).toEqual({
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

describe('how an asking stands', () => {
  const clock = { timeZone: 'America/Chicago', now: Date.parse('2026-11-21T18:00:00Z') }
  const step = (parts: Partial<AskStep>): AskStep => ({
    step: 'review_3',
    dueAt: '2026-11-23T16:00:00.000Z',
    state: 'waiting',
    reason: null,
    channel: null,
    messageId: null,
    ...parts,
  })

  it('says by which way and when they were asked', () => {
    expect(askedWords(buildAsk(), clock)).toBe('Asked by SMS, yesterday 10:00 AM')
    expect(askedWords(buildAsk({ channel: 'email' }), clock)).toBe('Asked by email, yesterday 10:00 AM')
    expect(askedWords(buildAsk({ askedAt: null }), clock)).toBe('')
  })

  it('says what comes next, and that nothing does', () => {
    expect(nextWords(buildAsk({ state: 'waiting', plannedAt: '2026-11-21T19:00:00.000Z' }), clock)).toBe(
      'Goes out today 1:00 PM',
    )
    expect(nextWords(buildAsk({ state: 'waiting', plannedAt: null }), clock)).toBe('Waits for the payment')
    expect(nextWords(buildAsk({ state: 'waiting', plannedAt: null, reason: 'It is not paid yet' }), clock)).toBe('')
    expect(nextWords(buildAsk({ steps: [step({ step: 'review_ask', state: 'done' }), step({})] }), clock)).toBe(
      'Second request goes out Mon, Nov 23 10:00 AM, unless they answer first',
    )
    expect(nextWords(buildAsk({ steps: [step({ step: 'review_7', state: 'skipped' })] }), clock)).toBe(
      'No further request goes out',
    )
    expect(nextWords(buildAsk({ state: 'stopped' }), clock)).toBe('')
  })

  it('tells each request', () => {
    expect(stepWords(step({ state: 'done', channel: 'email' }), clock)).toBe('sent by email, Mon, Nov 23 10:00 AM')
    expect(
      stepWords(step({ state: 'done', channel: 'sms', unsent: 'Waiting to send: it is night there' }), clock),
    ).toBe('waiting to send: it is night there')
    expect(stepWords(step({}), clock)).toBe('goes out Mon, Nov 23 10:00 AM')
    expect(stepWords(step({ state: 'stopped', reason: 'they said STOP' }), clock)).toBe('not sent: they said STOP')
  })
})

describe('a month', () => {
  it('is read, named, and followed by the next', () => {
    expect(['2026-11', '2026-01', '2026-00', '2026-13', '2026-1', ''].map(isMonth)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(monthName('2026-11')).toBe('November 2026')
    expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
  })
})
