import * as z from 'zod/mini'
import { quoteMessages } from './messages'

export const quoteSchema = z.object({
  customerName: z.string().check(z.trim(), z.minLength(1, quoteMessages.required)),
  email: z
    .string()
    .check(z.trim(), z.minLength(1, { error: quoteMessages.required, abort: true }), z.email(quoteMessages.email)),
  phone: z.string().check(z.trim()),
  address: z.string().check(z.trim()),
  serviceType: z.string().check(z.minLength(1, quoteMessages.required)),
  projectDescription: z.string().check(z.trim()),
  timelinePreference: z.string(),
  budgetRange: z.string(),
  marketingConsent: z.boolean(),
  company: z.string(),
})

export type QuoteValues = z.infer<typeof quoteSchema>

export const EMPTY_QUOTE: QuoteValues = {
  customerName: '',
  email: '',
  phone: '',
  address: '',
  serviceType: '',
  projectDescription: '',
  timelinePreference: '',
  budgetRange: '',
  marketingConsent: false,
  company: '',
}
