import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { parseScaled } from '@/features/documents/document-totals'
import type { PriceItem } from '@/features/documents/queries'
import { priceBookMessages as texts } from './messages'

export const PRICE_LIMITS = { name: 200, code: 64, unit: 20, description: 4000 } as const
const WHOLE_PPM = 1_000_000n
const PER_PERCENT = 10_000

const text = () => z.string().check(z.trim())
const emptyOr = (fits: (typed: string) => boolean) => (typed: string) => typed === '' || fits(typed)

/** In percent; undefined for invalid input. */
function parseRate(typed: string): number | undefined {
  const ppm = parseScaled(typed.replace(/\s*%$/, ''), 4)
  return ppm === undefined || ppm < 0n || ppm > WHOLE_PPM ? undefined : Number(ppm) / PER_PERCENT
}

export const priceSchema = z.object({
  name: text().check(z.minLength(1, texts.name), z.maxLength(PRICE_LIMITS.name)),
  code: text(),
  unit: text(),
  price: text().check(z.refine((typed) => parseScaled(typed, 2) !== undefined, texts.price)),
  cost: text().check(
    z.refine(
      emptyOr((typed) => parseMoney(typed) !== undefined),
      texts.cost,
    ),
  ),
  taxRate: text().check(
    z.refine(
      emptyOr((typed) => parseRate(typed) !== undefined),
      texts.tax,
    ),
  ),
  description: text(),
})
export type PriceValues = z.infer<typeof priceSchema>

const toInputNumber = (value: number | null | undefined) => (typeof value === 'number' ? String(value) : '')

export function toPriceValues(item: PriceItem | undefined): PriceValues {
  return {
    name: item?.name ?? '',
    code: item?.code ?? '',
    unit: item?.unit === 'each' ? '' : (item?.unit ?? ''),
    price: item ? item.price.toFixed(2) : '',
    cost: typeof item?.cost === 'number' ? item.cost.toFixed(2) : '',
    taxRate: toInputNumber(item?.taxRate),
    description: item?.description ?? '',
  }
}

const orNull = (typed: string) => (typed === '' ? null : typed)

/** As the API expects it; emptied fields are cleared. */
export function toPriceItem({ name, code, unit, price, cost, taxRate, description }: PriceValues) {
  return {
    name,
    code: orNull(code),
    unit: unit === '' ? 'each' : unit,
    // The form has checked the numbers.
    price: Number(parseScaled(price, 2) ?? 0n) / 100,
    cost: cost === '' ? null : (parseMoney(cost) ?? null),
    taxRate: taxRate === '' ? null : (parseRate(taxRate) ?? null),
    description: orNull(description),
  }
}
