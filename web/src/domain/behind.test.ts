// The address of a figure: what it narrows a list to, and what it is called.
import { afterEach, expect, it, vi } from 'vitest'
import { daysIn, daysWords, leadsBehindIn, leadsBehindWords } from './behind'

const today = new Date('2026-09-17T12:00:00')

afterEach(() => void vi.useRealTimers())

it.each([
  ['from=2026-09-11&to=2026-09-17', { from: '2026-09-11', to: '2026-09-17' }],
  ['from=2026-09-17&to=2026-09-11', undefined],
  ['from=2026-09-11', undefined],
  ['from=soon&to=later', undefined],
  ['', undefined],
])('%s asks for days: %o', (query, days) => expect(daysIn(new URLSearchParams(query))).toEqual(days))

it.each([
  ['2026-09-11', '2026-09-17', 'Sep 11 – Sep 17'],
  ['2026-09-17', '2026-09-17', 'Sep 17'],
  ['2025-12-29', '2026-01-04', 'Dec 29, 2025 – Jan 4, 2026'],
  ['2025-08-01', '2025-08-31', 'Aug 1, 2025 – Aug 31, 2025'],
])('%s to %s is said as %s', (from, to, words) => expect(daysWords({ from, to }, today)).toBe(words))

it.each([
  ['answered=auto', 'Sep 11 – Sep 17 · answered automatically'],
  ['calls=recovered', 'Sep 11 – Sep 17 · missed calls recovered'],
  ['quotes=won&source=google', 'Sep 11 – Sep 17 · estimates won · from google'],
  ['promise=broken', 'Sep 11 – Sep 17 · not answered as promised'],
  ['by=booked', 'Sep 11 – Sep 17 · booked'],
  ['source=Mum+%26+Dad%3F', 'Sep 11 – Sep 17 · came in · from Mum & Dad?'],
  ['by=magic', 'Sep 11 – Sep 17 · came in'],
])('%s is said as %s', (query, words) => {
  const behind = leadsBehindIn(new URLSearchParams(`from=2026-09-11&to=2026-09-17&${query}`))
  vi.setSystemTime(today)
  expect(behind && leadsBehindWords(behind)).toBe(words)
})

it('who waits for a promised answer waits on no day in particular', () => {
  const behind = leadsBehindIn(new URLSearchParams('promise=owed&from=2026-09-11&to=2026-09-17'))
  expect(behind).toEqual({ promise: 'owed' })
  expect(behind && leadsBehindWords(behind)).toBe('wait for a promised answer')
})

it('without days no figure was opened', () =>
  expect(leadsBehindIn(new URLSearchParams('answered=auto'))).toBeUndefined())
