import * as z from 'zod/mini'
import { checkoutMessages as texts } from './messages'

const requiredText = (message: string) => z.string().check(z.trim(), z.minLength(1, message))

export const demoSchema = z.object({
  orgName: requiredText(texts.orgName),
  name: requiredText(texts.name),
  phone: z.string().check(z.trim(), z.minLength(10, texts.phone)),
  email: z.string().check(z.trim(), z.minLength(1, { error: texts.email, abort: true }), z.email(texts.emailFormat)),
  industry: requiredText(texts.industry),
  plan: z.enum(['monthly', 'six_months']),
})

export type DemoValues = z.infer<typeof demoSchema>
