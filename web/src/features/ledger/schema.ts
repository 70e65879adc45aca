// What the dialogs of a payment and of a refund accept. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { ledgerTexts } from './messages'

const text = () => z.string().check(z.trim())

const amount = () => text().check(z.refine((typed) => (readMoney(typed) ?? 0) > 0, ledgerTexts.invalid.description))
const method = z.enum(['cash', 'check', 'card', 'bank', 'other'])

export const paymentSchema = z.object({
  amount: amount(),
  date: z.string().check(z.minLength(1, ledgerTexts.date)),
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

export const settleSchema = z.object({ note: text() })
export type SettleValues = z.infer<typeof settleSchema>
