// What the lines of a paper must be. The server looks at everything once more.
import * as z from 'zod/mini'
import { paperMessages as texts } from './messages'
import { readScaled } from './paper'
import { readPart } from './read-lines'

export const LIMITS = { lines: 200, name: 200, description: 4000, unit: 20, notes: 10_000, options: 4 } as const
/** One option would be no choice. */
export const FEWEST_OPTIONS = 2

export const PART_KINDS = ['none', 'percent', 'amount'] as const
export type PartKind = (typeof PART_KINDS)[number]

const text = () => z.string().check(z.trim())

const lineSchema = z.object({
  /** By which the server knows it; empty for a new one. */
  lineId: z.string(),
  name: text(),
  description: text(),
  quantity: text(),
  unit: text(),
  unitPrice: text(),
  /** It takes the price off: the keys of many phones have no minus. */
  isCredit: z.boolean(),
  tax: z.string(),
  optional: z.boolean(),
  optionId: z.string(),
  discountKind: z.enum(PART_KINDS),
  discount: text(),
  priceItemId: z.string(),
})
export type LineValues = z.infer<typeof lineSchema>

/** Beside these a form has fields of its own. */
export const paperFields = {
  lines: z.array(lineSchema),
  discountKind: z.enum(PART_KINDS),
  discount: text(),
  hasOptions: z.boolean(),
  options: z.array(z.object({ optionId: z.string(), name: text(), description: text() })),
  recommended: z.string(),
}
const paperSchema = z.object(paperFields)
export type PaperValues = z.infer<typeof paperSchema>

export type Fault = { message: string; path: (string | number)[] }

function lineFaults({ name, quantity, unitPrice, discountKind, discount }: LineValues, at: number): Fault[] {
  const fault = (field: keyof LineValues, message: string): Fault => ({ message, path: ['lines', at, field] })
  return [
    ...(name === '' ? [fault('name', texts.line.name)] : []),
    ...((readScaled(quantity, 3) ?? 0n) > 0n ? [] : [fault('quantity', texts.line.quantity)]),
    ...(readScaled(unitPrice, 2) === undefined ? [fault('unitPrice', texts.line.unitPrice)] : []),
    ...(readPart(discountKind, discount) === undefined ? [fault('discount', texts.discount)] : []),
  ]
}

/** Everything that is wrong with it, by its fields. */
export function paperFaults({ lines, discountKind, discount, hasOptions, options }: PaperValues): Fault[] {
  const unnamed = hasOptions
    ? options.flatMap(({ name }, at): Fault[] =>
        name === '' ? [{ message: texts.option, path: ['options', at, 'name'] }] : [],
      )
    : []
  const off: Fault[] =
    readPart(discountKind, discount) === undefined ? [{ message: texts.discount, path: ['discount'] }] : []
  return [...unnamed, ...lines.flatMap(lineFaults), ...off]
}
