// The lines of an estimate as they were typed: for the sums beside them, and for the server.
import type { Schema } from '@/api/client'
import { type PaperDiscount, type PaperLine, readScaled } from './paper'

/** As the fields hold it. */
export type TypedLine = { name: string; description: string; quantity: string; unit: string; unitPrice: string; taxName: string; optional: boolean }
type TypedPaper = { lines: readonly TypedLine[]; discountKind: PaperDiscount['kind']; discount: string }
type TaxRate = Schema['NamedTaxRate']

const WHOLE_PPM = 1_000_000n
const PER_PERCENT = 10_000

/** Undefined for what is none above nothing. */
export function readDiscount(kind: PaperDiscount['kind'], typed: string): PaperDiscount | undefined {
  if (kind === 'none') return { kind }
  const value = readScaled(typed, kind === 'percent' ? 4 : 2)
  if (value === undefined || value <= 0n || (kind === 'percent' && value > WHOLE_PPM)) return undefined
  return kind === 'percent' ? { kind, ppm: value } : { kind, cents: value }
}

const rateOf = (name: string, rates: readonly TaxRate[]) => rates.find((rate) => rate.name === name)?.rate ?? 0

/** What can be reckoned with already; what is still being typed counts as nothing. */
export function reckonable({ lines, discountKind, discount }: TypedPaper, rates: readonly TaxRate[]): { lines: PaperLine[]; discount: PaperDiscount } {
  return {
    lines: lines.map(({ quantity, unitPrice, taxName, optional }) => ({
      quantityMilli: readScaled(quantity, 3) ?? 0n,
      unitCents: readScaled(unitPrice, 2) ?? 0n,
      taxPpm: BigInt(Math.round(rateOf(taxName, rates) * PER_PERCENT)),
      taxName,
      isOptional: optional,
    })),
    discount: readDiscount(discountKind, discount) ?? { kind: 'none' },
  }
}

/** As the server reads it. The form has checked every number. */
export function toPaper({ lines, discountKind, discount }: TypedPaper, rates: readonly TaxRate[]) {
  const off = readDiscount(discountKind, discount)
  return {
    lines: lines.map(({ name, description, quantity, unit, unitPrice, taxName, optional }) => ({
      name,
      quantity: Number(readScaled(quantity, 3) ?? 0n) / 1000,
      unitPrice: Number(readScaled(unitPrice, 2) ?? 0n) / 100,
      optional,
      ...(description === '' ? {} : { description }),
      ...(unit === '' ? {} : { unit }),
      ...(taxName === '' ? {} : { taxName, taxRate: rateOf(taxName, rates) }),
    })),
    ...(off?.kind === 'percent' ? { discount: { percent: Number(off.ppm) / PER_PERCENT } } : {}),
    ...(off?.kind === 'amount' ? { discount: { amount: Number(off.cents) / 100 } } : {}),
  }
}
