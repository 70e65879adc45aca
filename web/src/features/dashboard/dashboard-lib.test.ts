// The small rules under the dashboard: changes, waits, years in a sentence, and when there is nothing to show yet.
import { describe, expect, it } from 'vitest'
import { buildKpis, buildMonths, buildSpan, noReceivables } from '@/testing/figure-builders'
import { countChange } from './lib/change'
import { isNew } from './lib/is-new'
import { monthName, spanWords } from './lib/periods'
import { linesOf, trendsOf, trendWords } from './lib/trends'
import { waitWords } from './lib/wait-words'

describe('a change', () => {
  it.each([
    [12, 8, 'arrow-up', '4 more than'],
    [3, 8, 'arrow-down', '5 fewer than'],
    [8, 8, undefined, 'Same as'],
  ])('from %s after %s is told by arrow and word', (now, before, icon, words) =>
    expect(countChange(now, before)).toEqual({ icon, words }),
  )
})

describe('a wait', () => {
  it.each([
    [null, '–'],
    [undefined, '–'],
    [0.001, 'under 1 s'],
    [0.05, '3 s'],
    [0.995, '1 min'],
    [2.54, '2.5 min'],
    [14.4, '14 min'],
    [59.6, '1 h'],
    [200, '3.3 h'],
    [2 * 24 * 60, '2 d'],
  ])('of %s minutes reads %s', (minutes, words) => expect(waitWords(minutes)).toBe(words))
})

describe('the days of a figure', () => {
  it('are named as the business’s calendar has them, wherever this device is', () => {
    expect(spanWords({ from: '2026-11-16', to: '2026-11-22' })).toBe('Nov 16 to Nov 22')
    expect(['short', 'long', 'whole'].map((shape) => monthName('2026-11-01', shape as 'short'))).toEqual([
      'Nov',
      'November',
      'November 2026',
    ])
  })
})

describe('a year', () => {
  const months = buildMonths((at) => ({ revenue: 1000.1 * at, profit: 650 * at, isEstimate: at === 3 }))

  it('is the sum of its months to the cent, with the rows of all of them', () => {
    expect(trendsOf(months)).toMatchObject({
      revenue: 66_006.6,
      profit: 42_900,
      average: 5501,
      isEstimate: true,
      rows: '/app/payments?from=2025-12-01&to=2026-11-30',
    })
    expect(trendsOf(months).best?.month).toBe('2026-11-01')
  })

  it('is told in a sentence', () => {
    expect(trendWords(months)).toBe(
      'Revenue and profit by month, December 2025 to November 2026: $66,006.60 revenue, most of it in November 2026 with $11,001; $42,900 profit, partly an estimate.',
    )
    expect(trendWords(buildMonths())).toBe(
      'Revenue and profit by month, December 2025 to November 2026: $0 revenue; $0 profit.',
    )
  })

  it.each([
    [[13_400], [0, 5000, 10_000, 15_000]],
    [[950], [0, 250, 500, 750, 1000]],
    [
      [8000, -3000],
      [-5000, 0, 5000, 10_000],
    ],
  ])('of %s has round lines and nothing among them', (amounts, lines) => {
    expect(
      linesOf(buildMonths((at) => ({ revenue: Math.max(0, amounts[at] ?? 0), profit: amounts[at] ?? 0 }))),
    ).toEqual(lines)
  })
})

describe('a business', () => {
  const request = buildSpan({ newLeads: { value: 1, rows: '/app/leads' } })

  it('that has just begun has nothing to show', () => expect(isNew(buildKpis())).toBe(true))

  it.each([
    ['a request of last month', { priorMonth: request }],
    ['money of last winter', { months: buildMonths((at) => ({ revenue: at === 0 ? 100 : 0 })) }],
    ['an open invoice', { receivables: { ...noReceivables, open: { count: 1, total: 10, rows: '/app/invoices' } } }],
    ['records that are still counted', { isCounted: false }],
  ])('with %s has', (_what, parts) => expect(isNew(buildKpis(parts))).toBe(false))
})
