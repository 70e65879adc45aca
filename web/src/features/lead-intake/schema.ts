import * as z from 'zod/mini'
import { MIN_PHONE_LENGTH, MIN_ZIP_LENGTH } from '@/domain/lead'
import { leadMessages } from './messages'

const isEmail = (value: string) => value === '' || z.safeParse(z.email(), value).success

export const leadSchema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, leadMessages.name)),
  phone: z.string().check(z.trim(), z.minLength(MIN_PHONE_LENGTH, leadMessages.phone)),
  email: z.string().check(z.trim(), z.refine(isEmail, leadMessages.email)),
  service: z.string().check(z.minLength(1, leadMessages.service)),
  zip: z.string().check(z.trim(), z.minLength(MIN_ZIP_LENGTH, leadMessages.zip)),
  notes: z.string().check(z.trim()),
  marketingConsent: z.boolean(),
  company: z.string(),
})

export type LeadValues = z.infer<typeof leadSchema>

export const EMPTY_LEAD: LeadValues = {
  name: '',
  phone: '',
  email: '',
  service: '',
  zip: '',
  notes: '',
  marketingConsent: false,
  company: '',
}
