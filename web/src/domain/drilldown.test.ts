import { afterEach, expect, it, vi } from 'vitest'
import { parseDayRange, formatDayRange, parseLeadDrilldown, describeLeadDrilldown } from './drilldown'

const today = new Date('2026-09-17T12:00:00')

afterEach(() => void vi.useRealTimers())

it.each([
  ['from=2026-09-11&to=2026-09-17', { from: '2026-09-11', to: '2026-09-17' }],
  ['from=2026-09-17&to=2026-09-11', undefined],
  ['from=2026-09-11', undefined],
  ['from=soon&to=later', undefined],
  ['', undefined],
])('days of %s: %o', (query, days) => expect(parseDayRange(new URLSearchParams(query))).toEqual(days))

it.each([
  ['2026-09-11', '2026-09-17', 'Sep 11 – Sep 17'],
  ['2026-09-17', '2026-09-17', 'Sep 17'],
  ['2025-12-29', '2026-01-04', 'Dec 29, 2025 – Jan 4, 2026'],
  ['2025-08-01', '2025-08-31', 'Aug 1, 2025 – Aug 31, 2025'],
])('range %s to %s reads %s', (from, to, words) => expect(formatDayRange({ from, to }, today)).toBe(words))

it.each([
  ['answered=auto', 'Sep 11 – Sep 17 · answered automatically'],
  ['calls=recovered', 'Sep 11 – Sep 17 · missed calls recovered'],
  ['quotes=won&source=google', 'Sep 11 – Sep 17 · estimates won · from google'],
  ['promise=broken', 'Sep 11 – Sep 17 · not answered as promised'],
  ['by=booked', 'Sep 11 – Sep 17 · booked'],
  ['source=Mum+%26+Dad%3F', 'Sep 11 – Sep 17 · came in · from Mum & Dad?'],
  ['by=magic', 'Sep 11 – Sep 17 · came in'],
])('drilldown %s reads %s', (query, words) => {
  const drilldown = parseLeadDrilldown(new URLSearchParams(`from=2026-09-11&to=2026-09-17&${query}`))
  vi.setSystemTime(today)
  expect(drilldown && describeLeadDrilldown(drilldown)).toBe(words)
})

it('unanswered promises: no day range', () => {
  const drilldown = parseLeadDrilldown(new URLSearchParams('promise=owed&from=2026-09-11&to=2026-09-17'))
  expect(drilldown).toEqual({ promise: 'owed' })
  expect(drilldown && describeLeadDrilldown(drilldown)).toBe('wait for a promised answer')
})

it('texts that the limit of a day stopped: no day range', () => {
  const drilldown = parseLeadDrilldown(new URLSearchParams('texts=refused&from=2026-09-11&to=2026-09-17'))
  expect(drilldown).toEqual({ texts: 'refused' })
  expect(drilldown && describeLeadDrilldown(drilldown)).toBe(
    "text not sent: that day's texts were used up. Open a lead and tap Send again",
  )
})

it('no day range: no drilldown', () => expect(parseLeadDrilldown(new URLSearchParams('answered=auto'))).toBeUndefined())
