import * as z from 'zod/mini'
import { parseMoney } from '@/lib/parse-money'
import { parsePercentOrAmount } from '@/features/documents/line-values'
import { validateLineItems, lineItemsFields } from '@/features/documents/schema'
import { invoicesMessages as texts } from './messages'

const MIN_REASON_LENGTH = 3

const text = () => z.string().check(z.trim())
const isAmount = (typed: string) => (parseMoney(typed) ?? 0) > 0

/** Basis of an invoice: the rest, a part of the agreed amount, or a separate amount. */
export const BILLING_MODES = ['rest', 'share', 'amount'] as const
export type BillingMode = (typeof BILLING_MODES)[number]

export const newInvoiceSchema = z
  .object({
    wish: z.enum(BILLING_MODES),
    shareKind: z.enum(['percent', 'amount']),
    share: text(),
    words: text(),
    amount: text(),
    dueOn: z.string(),
  })
  .check(
    z.superRefine(({ wish, shareKind, share, words, amount }, context) => {
      const addIssue = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] })
      if (wish === 'share' && parsePercentOrAmount(shareKind, share) === undefined) addIssue(texts.share, 'share')
      if (wish !== 'amount') return
      if (words === '') addIssue(texts.words, 'words')
      if (!isAmount(amount)) addIssue(texts.amount, 'amount')
    }),
  )
export type NewInvoiceValues = z.infer<typeof newInvoiceSchema>

export const draftSchema = z
  .object({ ...lineItemsFields, dueOn: z.string(), notes: text(), terms: text(), isFinal: z.boolean() })
  .check(
    z.superRefine((values, context) => {
      for (const { message, path } of validateLineItems(values)) context.addIssue({ code: 'custom', message, path })
    }),
  )
export type DraftValues = z.infer<typeof draftSchema>

/** A paper without an address to go to is issued and downloaded. */
export const sendInvoiceSchema = z
  .object({ email: z.boolean(), text: z.boolean(), hasWay: z.boolean() })
  .check(
    z.refine(({ email, text: byText, hasWay }) => email || byText || !hasWay, { message: texts.way, path: ['text'] }),
  )
export type SendInvoiceValues = z.infer<typeof sendInvoiceSchema>

export const reasonSchema = z.object({ reason: text().check(z.minLength(MIN_REASON_LENGTH, texts.reason)) })
export type ReasonValues = z.infer<typeof reasonSchema>

export const promiseSchema = z.object({ on: z.string().check(z.minLength(1, texts.day)) })
export type PromiseValues = z.infer<typeof promiseSchema>
