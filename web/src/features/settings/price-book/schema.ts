// What an item of the price book must be. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { readScaled } from '@/features/paper/paper'
import type { PriceItem } from '@/features/paper/queries'
import { priceTexts as texts } from './messages'

export const LIMITS = { name: 200, code: 64, unit: 20, description: 4000 } as const
const WHOLE_PPM = 1_000_000n
const PER_PERCENT = 10_000

const text = () => z.string().check(z.trim())
const isEmptyOr = (fits: (typed: string) => boolean) => (typed: string) => typed === '' || fits(typed)

/** In percent; undefined for what is none. */
function readRate(typed: string): number | undefined {
  const ppm = readScaled(typed.replace(/\s*%$/, ''), 4)
  return ppm === undefined || ppm < 0n || ppm > WHOLE_PPM ? undefined : Number(ppm) / PER_PERCENT
}

export const priceSchema = z.object({
  name: text().check(z.minLength(1, texts.name), z.maxLength(LIMITS.name)),
  code: text(),
  unit: text(),
  price: text().check(z.refine((typed) => readScaled(typed, 2) !== undefined, texts.price)),
  cost: text().check(
    z.refine(
      isEmptyOr((typed) => readMoney(typed) !== undefined),
      texts.cost,
    ),
  ),
  taxRate: text().check(
    z.refine(
      isEmptyOr((typed) => readRate(typed) !== undefined),
      texts.tax,
    ),
  ),
  description: text(),
})
export type PriceValues = z.infer<typeof priceSchema>

const typedNumber = (value: number | null | undefined) => (typeof value === 'number' ? String(value) : '')

export function priceValues(item: PriceItem | undefined): PriceValues {
  return {
    name: item?.name ?? '',
    code: item?.code ?? '',
    unit: item?.unit === 'each' ? '' : (item?.unit ?? ''),
    price: item ? item.price.toFixed(2) : '',
    cost: typeof item?.cost === 'number' ? item.cost.toFixed(2) : '',
    taxRate: typedNumber(item?.taxRate),
    description: item?.description ?? '',
  }
}

const orNull = (typed: string) => (typed === '' ? null : typed)

/** As the server reads it; what was emptied is taken away. */
export function toItem({ name, code, unit, price, cost, taxRate, description }: PriceValues) {
  return {
    name,
    code: orNull(code),
    unit: unit === '' ? 'each' : unit,
    // The form has checked the numbers.
    price: Number(readScaled(price, 2) ?? 0n) / 100,
    cost: cost === '' ? null : (readMoney(cost) ?? null),
    taxRate: taxRate === '' ? null : (readRate(taxRate) ?? null),
    description: orNull(description),
  }
}
