// What the dialog of a refund accepts. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { ledgerTexts } from './messages'

const text = () => z.string().check(z.trim())

export const refundSchema = z.object({
  amount: text().check(z.refine((typed) => (readMoney(typed) ?? 0) > 0, ledgerTexts.invalid.description)),
  method: z.enum(['cash', 'check', 'card', 'bank', 'other']),
  note: text(),
})
export type RefundValues = z.infer<typeof refundSchema>
