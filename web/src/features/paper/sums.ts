// The sums of a paper in dollars, one row of them for each option.
import type { Schema } from '@/api/client'
import { paperTotals, type PaperPart, partOf, toDollars } from './paper'
import { reckonable } from './read-lines'
import type { PaperValues } from './schema'
import type { Sums } from './totals'

const PER_PERCENT = 10_000

export type OptionSums = Sums & { optionId: string }

type Reckoned = Pick<
  Schema['EstimateOptionTotals'],
  'subtotal' | 'discount' | 'taxes' | 'total' | 'deposit' | 'optionId'
>

/** What the server says they come to. */
export const asSums = ({ optionId, subtotal, discount, taxes, total, deposit }: Reckoned): OptionSums => ({
  optionId: optionId ?? '',
  subtotal,
  discount,
  taxes: taxes.map(({ name, rate, amount }) => ({ name: name ?? '', rate, amount })),
  total,
  deposit,
})

/** One row where there are no options. */
export function sumsOf(values: PaperValues, deposit: PaperPart = { kind: 'none' }): OptionSums[] {
  const { lines, discount } = reckonable(values)
  const options = values.hasOptions ? values.options.map(({ optionId }) => optionId) : ['']
  return options.map((optionId) => {
    const totals = paperTotals(lines, discount, optionId)
    return {
      optionId,
      subtotal: toDollars(totals.subtotal),
      discount: toDollars(totals.discount),
      taxes: totals.taxes.map(({ name, ppm, cents }) => ({
        name,
        rate: Number(ppm) / PER_PERCENT,
        amount: toDollars(cents),
      })),
      total: toDollars(totals.total),
      deposit: toDollars(partOf(deposit, totals.total)),
    }
  })
}
