import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { settingsMessages as texts } from '../messages'

export const INVOICING_LIMITS = {
  prefix: 10,
  howToPay: 500,
  termsDays: [0, 180],
  reminders: 10,
  reminderDays: [-30, 120],
} as const

const text = () => z.string().check(z.trim())
const terms = texts.number(...INVOICING_LIMITS.termsDays)
const DAYS_ERROR = t('Whole days from {from} to {to}, at most {most} of them, like -3, 0, 7', {
  from: INVOICING_LIMITS.reminderDays[0],
  to: INVOICING_LIMITS.reminderDays[1],
  most: INVOICING_LIMITS.reminders,
})

/** `-3, 0, 7` as days, each once and in their order; undefined for what are none. */
export function parseReminderDays(typed: string): number[] | undefined {
  const [from, to] = INVOICING_LIMITS.reminderDays
  const parts = typed.split(/[,;\s]+/).filter((part) => part !== '')
  const days = parts.map((part) => (/^[-−+]?\d{1,3}$/.test(part) ? Number(part.replace('−', '-')) : Number.NaN))
  if (days.length > INVOICING_LIMITS.reminders || days.some((day) => !Number.isInteger(day) || day < from || day > to))
    return undefined
  return [...new Set(days)].toSorted((a, b) => a - b)
}

export const invoicingSchema = z.object({
  prefix: text().check(z.maxLength(INVOICING_LIMITS.prefix), z.regex(/^[\w.-]*$/, texts.paper.prefix)),
  termsDays: z
    .number(terms)
    .check(
      z.refine(Number.isInteger, terms),
      z.minimum(INVOICING_LIMITS.termsDays[0], terms),
      z.maximum(INVOICING_LIMITS.termsDays[1], terms),
    ),
  onCompletion: z.enum(['draft', 'send']),
  howToPay: text().check(z.maxLength(INVOICING_LIMITS.howToPay)),
  dunning: z.boolean(),
  dunningDays: text().check(z.refine((typed) => parseReminderDays(typed) !== undefined, DAYS_ERROR)),
  receipts: z.boolean(),
})
export type InvoicingValues = z.infer<typeof invoicingSchema>
