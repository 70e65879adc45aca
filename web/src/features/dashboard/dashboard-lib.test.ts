import { describe, expect, it } from 'vitest'
import { buildKpis, buildMonths, buildSpan, noReceivables } from '@/testing/figure-builders'
import { describeCountChange } from './lib/count-change'
import { isNewBusiness } from './lib/is-new-business'
import { formatMonth, formatDateSpan } from './lib/periods'
import { axisTicks, getTrendTotals, describeTrends } from './lib/trends'
import { formatWaitMinutes } from './lib/format-wait'

describe('count change', () => {
  it.each([
    [12, 8, 'arrow-up', '4 more than'],
    [3, 8, 'arrow-down', '5 fewer than'],
    [8, 8, undefined, 'Same as'],
  ])('%s after %s: arrow and text', (now, before, icon, text) =>
    expect(describeCountChange(now, before)).toEqual({ icon, text }),
  )
})

describe('wait time', () => {
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
  ])('of %s minutes reads %s', (minutes, words) => expect(formatWaitMinutes(minutes)).toBe(words))
})

describe('dates of a figure', () => {
  it('follow the business’s calendar on any device', () => {
    expect(formatDateSpan({ from: '2026-11-16', to: '2026-11-22' })).toBe('Nov 16 to Nov 22')
    expect(['short', 'long', 'whole'].map((shape) => formatMonth('2026-11-01', shape as 'short'))).toEqual([
      'Nov',
      'November',
      'November 2026',
    ])
  })
})

describe('trend totals', () => {
  const months = buildMonths((at) => ({ revenue: 1000.1 * at, profit: 650 * at, isEstimate: at === 3 }))

  it('sum the months to the cent, with one link for all rows', () => {
    expect(getTrendTotals(months)).toMatchObject({
      revenue: 66_006.6,
      profit: 42_900,
      average: 5501,
      isEstimate: true,
      rows: '/app/payments?from=2025-12-01&to=2026-11-30',
    })
    expect(getTrendTotals(months).best?.month).toBe('2026-11-01')
  })

  it('are described in a sentence', () => {
    expect(describeTrends(months)).toBe(
      'Revenue and profit by month, December 2025 to November 2026: $66,006.60 revenue, most of it in November 2026 with $11,001; $42,900 profit, partly an estimate.',
    )
    expect(describeTrends(buildMonths())).toBe(
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
  ])('axis ticks of %s: round, including zero', (amounts, lines) => {
    expect(
      axisTicks(buildMonths((at) => ({ revenue: Math.max(0, amounts[at] ?? 0), profit: amounts[at] ?? 0 }))),
    ).toEqual(lines)
  })
})

describe('isNewBusiness', () => {
  const request = buildSpan({ newLeads: { value: 1, rows: '/app/leads' } })

  it('true without any activity', () => expect(isNewBusiness(buildKpis())).toBe(true))

  it.each([
    ['a request of last month', { priorMonth: request }],
    ['money of last winter', { months: buildMonths((at) => ({ revenue: at === 0 ? 100 : 0 })) }],
    ['an open invoice', { receivables: { ...noReceivables, open: { count: 1, total: 10, rows: '/app/invoices' } } }],
    ['records that are still counted', { isCounted: false }],
  ])('false with %s', (_what, parts) => expect(isNewBusiness(buildKpis(parts))).toBe(false))
})
