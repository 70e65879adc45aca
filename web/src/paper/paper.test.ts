// What lines come to, by examples reckoned by hand from the rules of rounding.
import { describe, expect, it } from 'vitest'
import { halfUp, type PaperDiscount, type PaperLine, paperTotals, readScaled } from './paper'

const line = (quantity: string, price: string, more: Partial<PaperLine> = {}): PaperLine => ({
  quantityMilli: readScaled(quantity, 3) ?? 0n, unitCents: readScaled(price, 2) ?? 0n, taxPpm: 0n, taxName: '', isOptional: false, ...more,
})
const taxed = (quantity: string, price: string, percent: string) => line(quantity, price, { taxPpm: readScaled(percent, 4) ?? 0n, taxName: 'Sales tax' })
const none: PaperDiscount = { kind: 'none' }

it.each([[5n, 2n, 3n], [-5n, 2n, -3n], [4n, 3n, 1n], [-4n, 3n, -1n], [0n, 7n, 0n]])('%d over %d is rounded half away from zero', (numerator, denominator, rounded) => {
  expect(halfUp(numerator, denominator)).toBe(rounded)
})

describe('lines', () => {
  it('are rounded each, then added', () => {
    // 1.5 × 0.33 = 0.495 → 0.50, twice.
    expect(paperTotals([line('1.5', '0.33'), line('1.5', '0.33')], none)).toMatchObject({ amounts: [50n, 50n], total: 100n })
  })

  it('bear their tax each, and it is shown by its name', () => {
    // 8.25 % of 10.01 = 0.825825 → 0.83, twice; 10.25 % of 100 = 10.25.
    const totals = paperTotals([taxed('1', '10.01', '8.25'), taxed('1', '10.01', '8.25'), taxed('1', '100', '10.25')], none)
    expect(totals.taxes.map(({ cents }) => cents)).toEqual([166n, 1025n])
    expect(totals).toMatchObject({ subtotal: 12_002n, total: 13_193n })
  })

  it('that are optional do not count, and a credit does', () => {
    expect(paperTotals([line('1', '100'), line('1', '40', { isOptional: true }), line('1', '-25')], none)).toMatchObject({ amounts: [10_000n, 4000n, -2500n], total: 7500n })
  })
})

describe('a discount', () => {
  it('in percent is taken from each line before its tax', () => {
    // 10 % of 99.95 = 9.995 → 10.00; tax 8 % of 89.95 = 7.196 → 7.20.
    expect(paperTotals([taxed('1', '99.95', '8')], { kind: 'percent', ppm: 100_000n })).toMatchObject({ discount: 1000n, total: 9715n })
  })

  it('of an amount is shared to the cent', () => {
    expect(paperTotals([line('1', '1'), line('1', '1'), line('1', '1')], { kind: 'amount', cents: 100n })).toMatchObject({ discount: 100n, total: 200n })
  })

  it('is never more than there is', () => {
    expect(paperTotals([line('1', '5')], { kind: 'amount', cents: 9000n })).toMatchObject({ discount: 500n, total: 0n })
  })
})

describe('a number', () => {
  it.each([['1', 3, 1000n], ['1.5', 3, 1500n], ['.25', 2, 25n], ['$1,250.50', 2, 125_050n], ['-25', 2, -2500n], ['8.25', 4, 82_500n]] as const)('%s with %d decimals', (typed, digits, read) => {
    expect(readScaled(typed, digits)).toBe(read)
  })

  it.each([['', 2], ['.', 2], ['1.234', 2], ['ten', 2], ['1e3', 2], ['--1', 2]] as const)('is not “%s”', (typed, digits) => {
    expect(readScaled(typed, digits)).toBeUndefined()
  })
})
