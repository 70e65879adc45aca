// Document totals in cents, by the rules of `documents/src/line_items/totals.rs`, which decides. Both are tested with
// `totals_examples.json` beside it.

/** A part of an amount: the discount of a price, or the deposit of a total. */
export type PercentOrAmount = { kind: 'none' } | { kind: 'percent'; ppm: bigint } | { kind: 'amount'; cents: bigint }

/** Quantity in thousandths, price in cents, tax in millionths: nothing is ever a fraction. */
export type ScaledLine = {
  quantityMilli: bigint
  unitCents: bigint
  discount: PercentOrAmount
  taxPpm: bigint
  taxName: string
  isOptional: boolean
  /** The option it belongs to; empty, it belongs to each. */
  optionId: string
}

export type DocumentTotals = {
  subtotal: bigint
  discount: bigint
  taxes: readonly { name: string; ppm: bigint; cents: bigint }[]
  total: bigint
}

const MILLI = 1000n
const MILLION = 1_000_000n

/** Half away from zero. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator
  const rounded = (size * 2n + denominator) / (denominator * 2n)
  return numerator < 0n ? -rounded : rounded
}

const sumBigInt = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n)
const minBigInt = (a: bigint, b: bigint) => (a < b ? a : b)
const clampToZero = (value: bigint) => (value < 0n ? 0n : value)
const descending = (a: bigint, b: bigint) => (a === b ? 0 : a > b ? -1 : 1)
const ascending = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

/** So much of `whole`: an amount at most the whole. */
export function applyPercentOrAmount(part: PercentOrAmount, whole: bigint): bigint {
  if (part.kind === 'percent') return divideHalfUp(whole * part.ppm, MILLION)
  return part.kind === 'amount' ? clampToZero(minBigInt(part.cents, whole)) : 0n
}

/** What a line comes to by itself, after its own discount. A credit cannot be made smaller by a sum of money. */
export function getLineAmount({ quantityMilli, unitCents, discount }: ScaledLine): bigint {
  const gross = divideHalfUp(quantityMilli * unitCents, MILLI)
  return gross < 0n && discount.kind === 'amount' ? gross : gross - applyPercentOrAmount(discount, gross)
}

/** Proportional to the positive amounts, to the cent; rounding differences go to the largest remainders. */
function allocateProportionally(amount: bigint, lines: readonly ScaledLine[], amounts: readonly bigint[]): bigint[] {
  const weights = amounts.map(clampToZero)
  const all = sumBigInt(weights)
  if (all === 0n) return amounts.map(() => 0n)
  const shares = weights.map((weight) => (amount * weight) / all)
  const order = weights
    .map((weight, at) => ({
      at,
      weight,
      remainder: (amount * weight) % all,
      tax: lines[at]?.taxPpm ?? 0n,
      name: lines[at]?.taxName ?? '',
    }))
    .toSorted(
      (a, b) =>
        descending(a.remainder, b.remainder) ||
        descending(a.weight, b.weight) ||
        descending(a.tax, b.tax) ||
        ascending(a.name, b.name) ||
        a.at - b.at,
    )
  const more = new Set(order.slice(0, Number(amount - sumBigInt(shares))).map(({ at }) => at))
  return shares.map((share, at) => (more.has(at) ? share + 1n : share))
}

function getDiscountShares(
  discount: PercentOrAmount,
  lines: readonly ScaledLine[],
  amounts: readonly bigint[],
): bigint[] {
  if (discount.kind === 'percent') return amounts.map((amount) => divideHalfUp(amount * discount.ppm, MILLION))
  if (discount.kind === 'amount')
    return allocateProportionally(clampToZero(minBigInt(discount.cents, sumBigInt(amounts))), lines, amounts)
  return amounts.map(() => 0n)
}

/** What is to be paid with this option, without any of the optional lines. */
export function getDocumentTotals(
  lines: readonly ScaledLine[],
  discount: PercentOrAmount,
  chosen = '',
): DocumentTotals {
  const counted = lines.filter(({ isOptional, optionId }) => !isOptional && (optionId === '' || optionId === chosen))
  const amounts = counted.map(getLineAmount)
  const shares = getDiscountShares(discount, counted, amounts)
  const nets = amounts.map((amount, at) => amount - (shares[at] ?? 0n))
  const taxes = new Map<string, DocumentTotals['taxes'][number]>()
  for (const [at, { taxPpm: ppm, taxName: name }] of counted.entries()) {
    if (ppm === 0n) continue
    const key = `${ppm} ${name}`
    taxes.set(key, { name, ppm, cents: (taxes.get(key)?.cents ?? 0n) + divideHalfUp((nets[at] ?? 0n) * ppm, MILLION) })
  }
  const tax = sumBigInt([...taxes.values()].map(({ cents }) => cents))
  return {
    subtotal: sumBigInt(amounts),
    discount: sumBigInt(shares),
    taxes: [...taxes.values()],
    total: sumBigInt(nets) + tax,
  }
}

/** `12.5` in units of `1 / 10 ** digits`; undefined for other input. */
export function parseScaled(typed: string, digits: number): bigint | undefined {
  const plain = typed
    .trim()
    .replace(/^(-?)\$\s*/, '$1')
    .replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d{0,12})(?:\.(\d*))?$/.exec(plain) ?? []
  if (whole + part === '' || part.length > digits) return undefined
  const size = BigInt(whole + part.padEnd(digits, '0'))
  return sign === '-' ? -size : size
}

/** Dollars, for what shows them. */
export const toDollars = (cents: bigint) => Number(cents) / 100
