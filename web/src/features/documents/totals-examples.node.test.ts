// The examples that the server's totals are tested with too: the form and the invoice must agree to the cent.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { getDocumentTotals, type PercentOrAmount, type ScaledLine } from './document-totals'

type PartExample = { percentPpm: number } | { amountCents: number }

type LineExample = {
  quantityMilli: number
  unitCents: number
  discount?: PartExample
  taxPpm?: number
  taxName?: string
  isOptional?: boolean
  optionId?: string
}

type TotalsExample = {
  name: string
  lines: LineExample[]
  discount?: PartExample
  option?: string
  totals: { subtotal: number; discount: number; taxes: { name: string; ppm: number; cents: number }[]; total: number }
}

function toPart(part?: PartExample): PercentOrAmount {
  if (part === undefined) return { kind: 'none' }
  return 'percentPpm' in part
    ? { kind: 'percent', ppm: BigInt(part.percentPpm) }
    : { kind: 'amount', cents: BigInt(part.amountCents) }
}

const toLine = (line: LineExample): ScaledLine => ({
  quantityMilli: BigInt(line.quantityMilli),
  unitCents: BigInt(line.unitCents),
  discount: toPart(line.discount),
  taxPpm: BigInt(line.taxPpm ?? 0),
  taxName: line.taxName ?? '',
  isOptional: line.isOptional ?? false,
  optionId: line.optionId ?? '',
})

const FILE = join(import.meta.dirname, '../../../../documents/src/line_items/totals_examples.json')
const EXAMPLES = JSON.parse(readFileSync(FILE, 'utf8')) as TotalsExample[]

it.each(EXAMPLES)('totals equal the shared example: $name', ({ lines, discount, option = '', totals }) => {
  expect(getDocumentTotals(lines.map(toLine), toPart(discount), option)).toEqual({
    subtotal: BigInt(totals.subtotal),
    discount: BigInt(totals.discount),
    taxes: totals.taxes.map(({ name, ppm, cents }) => ({ name, ppm: BigInt(ppm), cents: BigInt(cents) })),
    total: BigInt(totals.total),
  })
})
