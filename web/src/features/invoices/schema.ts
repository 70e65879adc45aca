// What the dialogs of an invoice accept. The server looks at everything once more.
import * as z from 'zod/mini'
import { readMoney } from '@/lib/read-money'
import { readPart } from '@/features/paper/read-lines'
import { paperFaults, paperFields } from '@/features/paper/schema'
import { invoicesMessages as texts } from './messages'

const SHORTEST_REASON = 3

const text = () => z.string().check(z.trim())
const isAmount = (typed: string) => (readMoney(typed) ?? 0) > 0

/** What is billed: all that is left, a part of what was agreed, or an amount by itself. */
export const WISHES = ['rest', 'share', 'amount'] as const
export type Wish = (typeof WISHES)[number]

export const newInvoiceSchema = z
  .object({
    wish: z.enum(WISHES),
    shareKind: z.enum(['percent', 'amount']),
    share: text(),
    words: text(),
    amount: text(),
    dueOn: z.string(),
  })
  .check(
    z.superRefine(({ wish, shareKind, share, words, amount }, context) => {
      const fault = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] })
      if (wish === 'share' && readPart(shareKind, share) === undefined) fault(texts.share, 'share')
      if (wish !== 'amount') return
      if (words === '') fault(texts.words, 'words')
      if (!isAmount(amount)) fault(texts.amount, 'amount')
    }),
  )
export type NewInvoiceValues = z.infer<typeof newInvoiceSchema>

export const draftSchema = z
  .object({ ...paperFields, dueOn: z.string(), notes: text(), terms: text(), isFinal: z.boolean() })
  .check(
    z.superRefine((values, context) => {
      for (const { message, path } of paperFaults(values)) context.addIssue({ code: 'custom', message, path })
    }),
  )
export type DraftValues = z.infer<typeof draftSchema>

/** A paper without an address to go to is issued and downloaded. */
export const sendSchema = z
  .object({ email: z.boolean(), text: z.boolean(), hasWay: z.boolean() })
  .check(
    z.refine(({ email, text: byText, hasWay }) => email || byText || !hasWay, { message: texts.way, path: ['text'] }),
  )
export type SendValues = z.infer<typeof sendSchema>

export const reasonSchema = z.object({ reason: text().check(z.minLength(SHORTEST_REASON, texts.reason)) })
export type ReasonValues = z.infer<typeof reasonSchema>

export const promiseSchema = z.object({ on: z.string().check(z.minLength(1, texts.day)) })
export type PromiseValues = z.infer<typeof promiseSchema>
