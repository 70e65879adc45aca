import * as z from 'zod/mini'
import { quickAddMessages as texts } from './messages'

const text = () => z.string().check(z.trim())

/** The fields are named as the API names them, so that its errors find them. */
export const addCallSchema = z
  .object({
    customer: z.object({ phone: text(), name: text() }),
    notes: text(),
    textBookingLink: z.boolean(),
  })
  .check(
    z.refine(({ customer }) => customer.phone !== '' || customer.name !== '', {
      message: texts.nobody,
      path: ['customer', 'phone'],
    }),
    z.refine(({ customer, textBookingLink }) => !textBookingLink || customer.phone !== '', {
      message: texts.phoneForText,
      path: ['customer', 'phone'],
    }),
  )
export type AddCallValues = z.infer<typeof addCallSchema>
