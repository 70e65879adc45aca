// What the dialogs of a lead accept. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { readPart } from '@/paper/read-lines'
import { type Fault, PART_KINDS, paperFaults, paperFields, type PaperValues } from '@/paper/schema'
import { leadsMessages as texts } from './messages'

const SHORTEST_REASON = 3

const text = () => z.string().check(z.trim())

const { estimates } = texts

/** What is due on approval: as the settings say, or another for this one. */
export const DEPOSIT_KINDS = ['standing', ...PART_KINDS] as const

/** Either one amount, or lines: of the other nothing is asked. */
export const estimateSchema = z.object({
  isItemized: z.boolean(),
  quotedTotal: text(),
  ...paperFields,
  depositKind: z.enum(DEPOSIT_KINDS),
  deposit: text(),
  notes: text(),
  terms: text(),
  expiresOn: z.string(),
  email: z.boolean(),
  text: z.boolean(),
}).check(z.superRefine((values, context) => {
  for (const { message, path } of estimateFaults(values)) context.addIssue({ code: 'custom', message, path })
}))
export type EstimateValues = z.infer<typeof estimateSchema>

type Typed = PaperValues & { isItemized: boolean; quotedTotal: string; depositKind: (typeof DEPOSIT_KINDS)[number]; deposit: string }

function estimateFaults(values: Typed): Fault[] {
  const { isItemized, quotedTotal, depositKind, deposit } = values
  const hasNoAmount = !isItemized && (readMoney(quotedTotal) ?? 0) <= 0
  return [
    ...(hasNoAmount ? [{ message: estimates.invalid.description, path: ['quotedTotal'] }] : []),
    ...(isItemized ? paperFaults(values) : []),
    ...(depositKind !== 'standing' && readPart(depositKind, deposit) === undefined ? [{ message: estimates.deposit, path: ['deposit'] }] : []),
  ]
}

export const sendSchema = z.object({ email: z.boolean(), text: z.boolean() })
  .check(z.refine((ways) => ways.email || ways.text, { message: estimates.way, path: ['text'] }))
export type SendValues = z.infer<typeof sendSchema>

export const withdrawSchema = z.object({ reason: text().check(z.minLength(SHORTEST_REASON, estimates.reason)) })
export type WithdrawValues = z.infer<typeof withdrawSchema>
