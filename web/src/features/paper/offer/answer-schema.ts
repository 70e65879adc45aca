// What the dialogs of an offer that is out accept. The server looks at everything once more.
import * as z from 'zod/mini'
import { offerMessages as texts } from './messages'

const SHORTEST_REASON = 3

export const sendSchema = z
  .object({ email: z.boolean(), text: z.boolean() })
  .check(z.refine((ways) => ways.email || ways.text, { message: texts.way, path: ['text'] }))
export type SendValues = z.infer<typeof sendSchema>

export const withdrawSchema = z.object({
  reason: z.string().check(z.trim(), z.minLength(SHORTEST_REASON, texts.reason)),
})
export type WithdrawValues = z.infer<typeof withdrawSchema>
