// A line of the price book as the fields of a paper hold it.
import { emptyLine, toTaxKey } from './line-values'
import type { PriceItem } from './queries'
import type { LineValues } from './schema'

export const isEmptyLine = (line: LineValues | undefined) =>
  line !== undefined && line.name === '' && line.unitPrice === ''

/** A price book knows rates, the settings know their names; without either it bears what a new line does. */
export function toLineFromPrice(
  { id, name, description, unit, price, taxRate }: PriceItem,
  rates: readonly { name: string; rate: number }[],
  defaultTax: string,
): LineValues {
  const known = rates.find(({ rate }) => rate === taxRate)
  const own =
    typeof taxRate === 'number' ? (taxRate > 0 ? toTaxKey(known ?? { name: 'Tax', rate: taxRate }) : '') : defaultTax
  return {
    ...emptyLine(own),
    name,
    description: description ?? '',
    unit: unit === 'each' ? '' : unit,
    unitPrice: price.toFixed(2),
    priceItemId: id,
  }
}
