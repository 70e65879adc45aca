// What the dialogs of a lead accept. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { readScaled } from '@/paper/paper'
import { readDiscount } from '@/paper/read-lines'
import { leadsMessages as texts } from './messages'

const SHORTEST_REASON = 3

const text = () => z.string().check(z.trim())
const amount = (message: string) => text().check(z.refine((typed) => (readMoney(typed) ?? 0) > 0, message))

const { estimates, money } = texts

const lineSchema = z.object({
  name: text(),
  description: text(),
  quantity: text(),
  unit: text(),
  unitPrice: text(),
  taxName: z.string(),
  optional: z.boolean(),
})
export type LineValues = z.infer<typeof lineSchema>

/** What is wrong with a line, by its fields. */
function lineFaults({ name, quantity, unitPrice }: LineValues): [keyof LineValues, string][] {
  const { line } = estimates
  return [
    ...(name === '' ? [['name', line.name] as [keyof LineValues, string]] : []),
    ...((readScaled(quantity, 3) ?? 0n) > 0n ? [] : [['quantity', line.quantity] as [keyof LineValues, string]]),
    ...(readScaled(unitPrice, 2) === undefined ? [['unitPrice', line.unitPrice] as [keyof LineValues, string]] : []),
  ]
}

/** Either one amount, or lines: of the other nothing is asked. */
export const estimateSchema = z.object({
  isItemized: z.boolean(),
  quotedTotal: text(),
  lines: z.array(lineSchema),
  discountKind: z.enum(['none', 'percent', 'amount']),
  discount: text(),
  notes: text(),
  expiresOn: z.string(),
  email: z.boolean(),
  text: z.boolean(),
}).check(z.superRefine((values, context) => {
  const fault = (message: string, ...path: (string | number)[]) => context.addIssue({ code: 'custom', message, path })
  if (!values.isItemized) {
    if ((readMoney(values.quotedTotal) ?? 0) <= 0) fault(estimates.invalid.description, 'quotedTotal')
    return
  }
  for (const [at, line] of values.lines.entries()) {
    for (const [field, message] of lineFaults(line)) fault(message, 'lines', at, field)
  }
  if (values.discountKind !== 'none' && readDiscount(values.discountKind, values.discount) === undefined) fault(estimates.line.discount, 'discount')
}))
export type EstimateValues = z.infer<typeof estimateSchema>

export const sendSchema = z.object({ email: z.boolean(), text: z.boolean() })
  .check(z.refine((ways) => ways.email || ways.text, { message: estimates.way, path: ['text'] }))
export type SendValues = z.infer<typeof sendSchema>

export const withdrawSchema = z.object({ reason: text().check(z.minLength(SHORTEST_REASON, estimates.reason)) })
export type WithdrawValues = z.infer<typeof withdrawSchema>

export const paymentSchema = z.object({
  amount: amount(money.invalid.description),
  date: z.string().check(z.minLength(1, money.date)),
  method: z.enum(['cash', 'check', 'card', 'bank', 'other']),
  reference: text(),
  receipt: z.boolean(),
})
export type PaymentValues = z.infer<typeof paymentSchema>

export const refundSchema = z.object({
  amount: amount(money.invalid.description),
  method: z.enum(['cash', 'check', 'card', 'bank', 'other']),
  note: text(),
})
export type RefundValues = z.infer<typeof refundSchema>
