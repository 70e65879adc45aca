import * as z from 'zod/mini'
import { lookMessages } from './look-messages'

/** Offered colors: white text is readable on each. */
export const BRAND_COLORS = [
  { value: '#00616f', label: 'Teal' },
  { value: '#1d4ed8', label: 'Blue' },
  { value: '#0b6b3a', label: 'Green' },
  { value: '#b3122a', label: 'Red' },
  { value: '#c2410c', label: 'Orange' },
  { value: '#7c3aed', label: 'Purple' },
  { value: '#be185d', label: 'Pink' },
  { value: '#334155', label: 'Slate' },
] as const

export const lookSchema = z.object({
  /** Empty for none. */
  color: z.string().check(z.trim(), z.regex(/^(#[\da-f]{6})?$/i, lookMessages.invalidColor)),
  showsPoweredBy: z.boolean(),
})
export type LookValues = z.infer<typeof lookSchema>
