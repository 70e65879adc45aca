import * as z from 'zod/mini'
import { MIN_PHONE_LENGTH } from '@/domain/lead'
import { customersMessages as texts } from './messages'

const text = () => z.string().check(z.trim())
const digitsIn = (typed: string) => typed.replaceAll(/\D/g, '').length

export const customerSchema = z.object({
  name: text().check(z.minLength(1, texts.name)),
  phone: text().check(z.refine((typed) => typed === '' || digitsIn(typed) >= MIN_PHONE_LENGTH, texts.phone)),
  email: text().check(z.refine((typed) => typed === '' || /^\S+@\S+\.\S+$/.test(typed), texts.email)),
  language: z.enum(['', 'en', 'es']),
})
export type CustomerValues = z.infer<typeof customerSchema>

export const propertySchema = z.object({
  label: text(),
  address: text().check(z.minLength(1, texts.address)),
  zip: text(),
  notes: text(),
})
export type PropertyValues = z.infer<typeof propertySchema>
