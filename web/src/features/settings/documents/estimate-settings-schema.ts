import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { settingsMessages as texts } from '../messages'

export const ESTIMATE_LIMITS = {
  licence: 120,
  prefix: 10,
  terms: 10_000,
  rates: 10,
  rateName: 40,
  validDays: [0, 365],
  quoteHours: [1, 168],
} as const

/** A share in percent, with up to four decimals; undefined for invalid input. */
export function parsePercent(typed: string): number | undefined {
  const plain = typed.trim().replace(/\s*%$/, '')
  if (!/^\d{1,3}(?:\.\d{1,4})?$/.test(plain)) return undefined
  const percent = Number(plain)
  return percent <= 100 ? percent : undefined
}

export const SETTINGS_DEPOSIT_KINDS = ['none', 'percent', 'amount'] as const
export type DepositValues = { kind: (typeof SETTINGS_DEPOSIT_KINDS)[number]; value: string }

/** Percent or dollars; null without a deposit, undefined for invalid input. */
export function parseDeposit({ kind, value }: DepositValues): number | null | undefined {
  if (kind === 'none') return null
  return kind === 'percent' ? parsePercent(value) : parseMoney(value)
}

const text = () => z.string().check(z.trim())
const wholeNumber = (limits: readonly [number, number]) => {
  const [from, to] = limits
  const message = texts.number(from, to)
  return z.number(message).check(z.refine(Number.isInteger, message), z.minimum(from, message), z.maximum(to, message))
}

export const estimateSettingsSchema = z.object({
  licenceLine: text().check(z.maxLength(ESTIMATE_LIMITS.licence)),
  prefix: text().check(z.maxLength(ESTIMATE_LIMITS.prefix), z.regex(/^[\w.-]*$/, texts.paper.prefix)),
  quoteHours: wholeNumber(ESTIMATE_LIMITS.quoteHours),
  validDays: wholeNumber(ESTIMATE_LIMITS.validDays),
  deposit: z.object({ kind: z.enum(SETTINGS_DEPOSIT_KINDS), value: text() }).check(
    z.refine((deposit) => deposit.kind === 'none' || (parseDeposit(deposit) ?? 0) > 0, {
      message: texts.paper.deposit,
      path: ['value'],
    }),
  ),
  taxRates: z.array(z.object({ name: z.string(), rate: z.number() })),
  defaultTax: z.string(),
  terms: text().check(z.maxLength(ESTIMATE_LIMITS.terms)),
})
export type EstimateSettingsValues = z.infer<typeof estimateSettingsSchema>
