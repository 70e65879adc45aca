// Schema of line items.
import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { lineItemMessages as texts } from './messages'
import { parseScaled } from './document-totals'
import { parsePercentOrAmount } from './line-values'

export const LINE_ITEM_LIMITS = {
  lines: 200,
  name: 200,
  description: 4000,
  unit: 20,
  notes: 10_000,
  options: 4,
} as const
/** One option would be no choice. */
export const MIN_OPTIONS = 2

export const AMOUNT_KINDS = ['none', 'percent', 'amount'] as const
export type AmountKind = (typeof AMOUNT_KINDS)[number]

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
  discountKind: z.enum(AMOUNT_KINDS),
  discount: text(),
  priceItemId: z.string(),
})
export type LineValues = z.infer<typeof lineSchema>

/** Beside these a form has fields of its own. */
export const lineItemsFields = {
  lines: z.array(lineSchema),
  discountKind: z.enum(AMOUNT_KINDS),
  discount: text(),
  hasOptions: z.boolean(),
  options: z.array(z.object({ optionId: z.string(), name: text(), description: text() })),
  recommended: z.string(),
}
const lineItemsSchema = z.object(lineItemsFields)
export type LineItemsValues = z.infer<typeof lineItemsSchema>

export type FieldFault = { message: string; path: (string | number)[] }

function validateLine({ name, quantity, unitPrice, discountKind, discount }: LineValues, at: number): FieldFault[] {
  const fault = (field: keyof LineValues, message: string): FieldFault => ({ message, path: ['lines', at, field] })
  return [
    ...(name === '' ? [fault('name', texts.line.name)] : []),
    ...((parseScaled(quantity, 3) ?? 0n) > 0n ? [] : [fault('quantity', texts.line.quantity)]),
    ...(parseScaled(unitPrice, 2) === undefined ? [fault('unitPrice', texts.line.unitPrice)] : []),
    ...(parsePercentOrAmount(discountKind, discount) === undefined ? [fault('discount', texts.discount)] : []),
  ]
}

/** Each option has a name and something in it. */
function validateOptions({ lines, options }: Pick<LineItemsValues, 'lines' | 'options'>): FieldFault[] {
  const unnamed = options.flatMap(({ name }, at): FieldFault[] =>
    name === '' ? [{ message: texts.option, path: ['options', at, 'name'] }] : [],
  )
  const ids = new Set(options.map(({ optionId }) => optionId))
  // What is part of every option is enough.
  const isShared = lines.some(({ optionId }) => !ids.has(optionId))
  const empty = options.find((option) => lines.every(({ optionId }) => optionId !== option.optionId))
  if (!empty || isShared) return unnamed
  return [...unnamed, { message: texts.emptyOption(empty.name || t('An option')), path: ['options'] }]
}

/** Everything that is wrong with it, by its fields. */
export function validateLineItems(values: LineItemsValues): FieldFault[] {
  const { lines, discountKind, discount, hasOptions } = values
  const off: FieldFault[] =
    parsePercentOrAmount(discountKind, discount) === undefined ? [{ message: texts.discount, path: ['discount'] }] : []
  return [...(hasOptions ? validateOptions(values) : []), ...lines.flatMap(validateLine), ...off]
}
