import { describe, expect, it } from 'vitest'
import {
  divideHalfUp,
  getLineAmount,
  type ScaledLine,
  type PercentOrAmount,
  getDocumentTotals,
  applyPercentOrAmount,
  parseScaled,
} from './document-totals'

const none: PercentOrAmount = { kind: 'none' }
const line = (quantity: string, price: string, more: Partial<ScaledLine> = {}): ScaledLine => ({
  quantityMilli: parseScaled(quantity, 3) ?? 0n,
  unitCents: parseScaled(price, 2) ?? 0n,
  discount: none,
  taxPpm: 0n,
  taxName: '',
  isOptional: false,
  optionId: '',
  ...more,
})
const taxed = (quantity: string, price: string, percent: string) =>
  line(quantity, price, { taxPpm: parseScaled(percent, 4) ?? 0n, taxName: 'Sales tax' })

it.each([
  [5n, 2n, 3n],
  [-5n, 2n, -3n],
  [4n, 3n, 1n],
  [-4n, 3n, -1n],
  [0n, 7n, 0n],
])('%d over %d rounds half away from zero', (numerator, denominator, rounded) => {
  expect(divideHalfUp(numerator, denominator)).toBe(rounded)
})

describe('lines', () => {
  it('are rounded each, then added', () => {
    // 1.5 × 0.33 = 0.495 → 0.50, twice.
    expect(getLineAmount(line('1.5', '0.33'))).toBe(50n)
    expect(getDocumentTotals([line('1.5', '0.33'), line('1.5', '0.33')], none).total).toBe(100n)
  })

  it('are taxed each, grouped by tax name', () => {
    // 8.25 % of 10.01 = 0.825825 → 0.83, twice; 10.25 % of 100 = 10.25.
    const totals = getDocumentTotals(
      [taxed('1', '10.01', '8.25'), taxed('1', '10.01', '8.25'), taxed('1', '100', '10.25')],
      none,
    )
    expect(totals.taxes.map(({ cents }) => cents)).toEqual([166n, 1025n])
    expect(totals).toMatchObject({ subtotal: 12_002n, total: 13_193n })
  })

  it('optional ones do not count, credits do', () => {
    expect(
      getDocumentTotals([line('1', '100'), line('1', '40', { isOptional: true }), line('1', '-25')], none),
    ).toMatchObject({ subtotal: 7500n, total: 7500n })
  })
})

describe('option', () => {
  const lines = [
    line('1', '100'),
    line('1', '50', { optionId: 'good' }),
    line('1', '90', { optionId: 'best' }),
    line('1', '10', { optionId: 'best', isOptional: true }),
  ]

  it('counts its own and shared lines', () => {
    expect(getDocumentTotals(lines, none, 'good').total).toBe(15_000n)
    expect(getDocumentTotals(lines, none, 'best').total).toBe(19_000n)
  })
})

describe('line discount', () => {
  it('applies before tax and before the document discount', () => {
    // 10 % of 99.95 = 9.995 → 10.00; half of the 89.95 that are left; 8 % of 44.97 = 3.5976 → 3.60.
    const own = taxed('1', '99.95', '8')
    expect(
      getDocumentTotals([{ ...own, discount: { kind: 'percent', ppm: 100_000n } }], { kind: 'percent', ppm: 500_000n }),
    ).toMatchObject({ subtotal: 8995n, discount: 4498n, total: 4857n })
  })

  it('by amount: at most the line, and none on a credit', () => {
    expect(getLineAmount(line('1', '5', { discount: { kind: 'amount', cents: 900n } }))).toBe(0n)
    expect(getLineAmount(line('1', '-5', { discount: { kind: 'amount', cents: 100n } }))).toBe(-500n)
    expect(getLineAmount(line('1', '-5', { discount: { kind: 'percent', ppm: 100_000n } }))).toBe(-450n)
  })
})

it('deposit: a part of the total, at most all of it', () => {
  expect(applyPercentOrAmount({ kind: 'percent', ppm: 300_000n }, 16_230n)).toBe(4869n)
  expect(applyPercentOrAmount({ kind: 'amount', cents: 50_000n }, 16_230n)).toBe(16_230n)
  expect(applyPercentOrAmount(none, 16_230n)).toBe(0n)
})

describe('document discount', () => {
  it('in percent: applied to each line before tax', () => {
    // 10 % of 99.95 = 9.995 → 10.00; tax 8 % of 89.95 = 7.196 → 7.20.
    expect(getDocumentTotals([taxed('1', '99.95', '8')], { kind: 'percent', ppm: 100_000n })).toMatchObject({
      discount: 1000n,
      total: 9715n,
    })
  })

  it('by amount: allocated to the cent', () => {
    expect(
      getDocumentTotals([line('1', '1'), line('1', '1'), line('1', '1')], { kind: 'amount', cents: 100n }),
    ).toMatchObject({ discount: 100n, total: 200n })
  })

  it('never exceeds the subtotal', () => {
    expect(getDocumentTotals([line('1', '5')], { kind: 'amount', cents: 9000n })).toMatchObject({
      discount: 500n,
      total: 0n,
    })
  })
})

describe('parseScaled', () => {
  it.each([
    ['1', 3, 1000n],
    ['1.5', 3, 1500n],
    ['.25', 2, 25n],
    ['$1,250.50', 2, 125_050n],
    ['-25', 2, -2500n],
    ['8.25', 4, 82_500n],
  ] as const)('%s with %d decimals', (typed, digits, read) => {
    expect(parseScaled(typed, digits)).toBe(read)
  })

  it.each([
    ['', 2],
    ['.', 2],
    ['1.234', 2],
    ['ten', 2],
    ['1e3', 2],
    ['--1', 2],
  ] as const)('refuses “%s”', (typed, digits) => {
    expect(parseScaled(typed, digits)).toBeUndefined()
  })
})
