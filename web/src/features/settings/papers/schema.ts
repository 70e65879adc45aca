// What the form for estimates accepts. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { settingsMessages as texts } from '../messages'

export const LIMITS = {
  licence: 120,
  prefix: 10,
  terms: 10_000,
  rates: 10,
  rateName: 40,
  validDays: [0, 365],
  quoteHours: [1, 168],
} as const

/** A share in percent, with up to four decimals; undefined for what is none. */
export function readPercent(typed: string): number | undefined {
  const plain = typed.trim().replace(/\s*%$/, '')
  if (!/^\d{1,3}(?:\.\d{1,4})?$/.test(plain)) return undefined
  const percent = Number(plain)
  return percent <= 100 ? percent : undefined
}

export const DEPOSIT_KINDS = ['none', 'percent', 'amount'] as const
export type DepositValues = { kind: (typeof DEPOSIT_KINDS)[number]; value: string }

/** Percent or dollars; null without a deposit, undefined for what is neither. */
export function readDeposit({ kind, value }: DepositValues): number | null | undefined {
  if (kind === 'none') return null
  return kind === 'percent' ? readPercent(value) : readMoney(value)
}

const text = () => z.string().check(z.trim())
const whole = (limits: readonly [number, number]) => {
  const [from, to] = limits
  const said = texts.number(from, to)
  return z.number(said).check(z.refine(Number.isInteger, said), z.minimum(from, said), z.maximum(to, said))
}

export const paperSchema = z.object({
  licenceLine: text().check(z.maxLength(LIMITS.licence)),
  prefix: text().check(z.maxLength(LIMITS.prefix), z.regex(/^[\w.-]*$/, texts.paper.prefix)),
  quoteHours: whole(LIMITS.quoteHours),
  validDays: whole(LIMITS.validDays),
  deposit: z.object({ kind: z.enum(DEPOSIT_KINDS), value: text() }).check(
    z.refine((deposit) => deposit.kind === 'none' || (readDeposit(deposit) ?? 0) > 0, {
      message: texts.paper.deposit,
      path: ['value'],
    }),
  ),
  taxRates: z.array(z.object({ name: z.string(), rate: z.number() })),
  defaultTax: z.string(),
  terms: text().check(z.maxLength(LIMITS.terms)),
})
export type PaperValues = z.infer<typeof paperSchema>
