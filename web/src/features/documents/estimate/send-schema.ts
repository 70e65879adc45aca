// Schemas of the send and withdraw dialogs.
import * as z from 'zod/mini'
import { estimateMessages as texts } from './messages'

const MIN_REASON_LENGTH = 3

export const sendEstimateSchema = z
  .object({ email: z.boolean(), text: z.boolean() })
  .check(z.refine((ways) => ways.email || ways.text, { message: texts.way, path: ['text'] }))
export type SendEstimateValues = z.infer<typeof sendEstimateSchema>

export const withdrawEstimateSchema = z.object({
  reason: z.string().check(z.trim(), z.minLength(MIN_REASON_LENGTH, texts.reason)),
})
export type WithdrawEstimateValues = z.infer<typeof withdrawEstimateSchema>
