// Document totals in dollars, one per option.
import type { Schema } from '@/api/client'
import { getDocumentTotals, type PercentOrAmount, applyPercentOrAmount, toDollars } from './document-totals'
import { toScaledLines } from './line-values'
import type { LineItemsValues } from './schema'
import type { TotalsData } from './total-rows'

const PER_PERCENT = 10_000

export type OptionTotals = TotalsData & { optionId: string }

type ServerTotals = Pick<
  Schema['EstimateOptionTotals'],
  'subtotal' | 'discount' | 'taxes' | 'total' | 'deposit' | 'optionId'
>

/** What the server says they come to. */
export const toOptionTotals = ({
  optionId,
  subtotal,
  discount,
  taxes,
  total,
  deposit,
}: ServerTotals): OptionTotals => ({
  optionId: optionId ?? '',
  subtotal,
  discount,
  taxes: taxes.map(({ name, rate, amount }) => ({ name: name ?? '', rate, amount })),
  total,
  deposit,
})

/** One row where there are no options. */
export function getOptionTotals(values: LineItemsValues, deposit: PercentOrAmount = { kind: 'none' }): OptionTotals[] {
  const { lines, discount } = toScaledLines(values)
  const options = values.hasOptions ? values.options.map(({ optionId }) => optionId) : ['']
  return options.map((optionId) => {
    const totals = getDocumentTotals(lines, discount, optionId)
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
      deposit: toDollars(applyPercentOrAmount(deposit, totals.total)),
    }
  })
}
