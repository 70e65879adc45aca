// Schemas of the send and withdraw dialogs.
import * as z from 'zod/mini'
import { offerMessages as texts } from './messages'

const MIN_REASON_LENGTH = 3

export const sendOfferSchema = z
  .object({ email: z.boolean(), text: z.boolean() })
  .check(z.refine((ways) => ways.email || ways.text, { message: texts.way, path: ['text'] }))
export type SendOfferValues = z.infer<typeof sendOfferSchema>

export const withdrawOfferSchema = z.object({
  reason: z.string().check(z.trim(), z.minLength(MIN_REASON_LENGTH, texts.reason)),
})
export type WithdrawOfferValues = z.infer<typeof withdrawOfferSchema>
