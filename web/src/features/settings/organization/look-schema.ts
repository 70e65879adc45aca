import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { lookMessages } from './look-messages'

/** Offered colors: white text is readable on each. */
export const BRAND_COLORS = [
  { value: '#00616f', label: t('Teal') },
  { value: '#1d4ed8', label: t('Blue') },
  { value: '#0b6b3a', label: t('Green') },
  { value: '#b3122a', label: t('Red') },
  { value: '#c2410c', label: t('Orange') },
  { value: '#7c3aed', label: t('Purple') },
  { value: '#be185d', label: t('Pink') },
  { value: '#334155', label: t('Slate') },
] as const

export const lookSchema = z.object({
  /** Empty for none. */
  color: z.string().check(z.trim(), z.regex(/^(#[\da-f]{6})?$/i, lookMessages.invalidColor)),
  showsPoweredBy: z.boolean(),
})
export type LookValues = z.infer<typeof lookSchema>
