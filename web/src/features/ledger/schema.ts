import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { ledgerMessages } from './messages'

const text = () => z.string().check(z.trim())

const amount = () => text().check(z.refine((typed) => (parseMoney(typed) ?? 0) > 0, ledgerMessages.invalid.description))
const method = z.enum(['cash', 'check', 'card', 'bank', 'other'])

export const paymentSchema = z.object({
  amount: amount(),
  date: z.string().check(z.minLength(1, ledgerMessages.date)),
  method,
  reference: text(),
  receipt: z.boolean(),
})
export type PaymentValues = z.infer<typeof paymentSchema>

export const refundSchema = z.object({
  amount: amount(),
  method,
  /** What becomes of the bill: it is smaller by it, or it is owed again. */
  bill: z.enum(['forgiven', 'owed']),
  note: text(),
})
export type RefundValues = z.infer<typeof refundSchema>

export const settleRefundSchema = z.object({ note: text() })
export type SettleRefundValues = z.infer<typeof settleRefundSchema>
