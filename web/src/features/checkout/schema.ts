// What the form of the checkout accepts, before the server has its say.
import * as z from 'zod/mini'
import { checkoutTexts as texts } from './messages'

const filled = (message: string) => z.string().check(z.trim(), z.minLength(1, message))

export const demoSchema = z.object({
  orgName: filled(texts.orgName),
  name: filled(texts.name),
  phone: z.string().check(z.trim(), z.minLength(10, texts.phone)),
  email: z.string().check(z.trim(), z.minLength(1, { error: texts.email, abort: true }), z.email(texts.emailFormat)),
  industry: filled(texts.industry),
  plan: z.enum(['monthly', 'six_months']),
})

export type DemoValues = z.infer<typeof demoSchema>
