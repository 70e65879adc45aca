// Cost form: an amount, or hours times rate.
import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { jobsMessages } from '../messages'
import type { NewJobCost } from './cost-text'

const texts = jobsMessages.costs
const text = () => z.string().check(z.trim())
const HOURS = /^\d{1,4}(?:\.\d{1,3})?$/

const isAmount = (typed: string) => (parseMoney(typed) ?? 0) > 0
const isHours = (typed: string) => HOURS.test(typed) && Number(typed) > 0

export const costSchema = z
  .object({
    kind: z.enum(['materials', 'labor', 'other']),
    amount: text(),
    quantity: text(),
    rate: text(),
    note: text(),
  })
  .check(
    z.refine(({ kind, amount }) => kind === 'labor' || isAmount(amount), { message: texts.amount, path: ['amount'] }),
    z.refine(({ kind, quantity }) => kind !== 'labor' || isHours(quantity), {
      message: texts.hours,
      path: ['quantity'],
    }),
    z.refine(({ kind, rate }) => kind !== 'labor' || isAmount(rate), { message: texts.amount, path: ['rate'] }),
  )
export type CostValues = z.infer<typeof costSchema>

export const EMPTY_COST: CostValues = { kind: 'materials', amount: '', quantity: '', rate: '', note: '' }

/** What the server is sent of it. The form has checked that amounts are amounts. */
export function toCostRequest({ kind, amount, quantity, rate, note }: CostValues): NewJobCost {
  const cost =
    kind === 'labor' ? { quantity: Number(quantity), rate: parseMoney(rate) ?? 0 } : { amount: parseMoney(amount) ?? 0 }
  return { kind, ...cost, ...(note === '' ? {} : { note }) }
}
