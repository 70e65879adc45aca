import * as z from 'zod/mini'
import { parsePercentOrAmount } from '../line-values'
import { type FieldFault, AMOUNT_KINDS, lineItemsFields } from '../schema'
import { estimateMessages as texts } from './messages'

const text = () => z.string().check(z.trim())

/** What is due on approval: as the settings say, or another for this one. */
export const ESTIMATE_DEPOSIT_KINDS = ['standing', ...AMOUNT_KINDS] as const
type DepositKind = (typeof ESTIMATE_DEPOSIT_KINDS)[number]

/** Beside these an estimate and a change order have fields of their own. */
export const estimateBaseFields = {
  ...lineItemsFields,
  depositKind: z.enum(ESTIMATE_DEPOSIT_KINDS),
  deposit: text(),
  notes: text(),
  terms: text(),
  expiresOn: z.string(),
  email: z.boolean(),
  text: z.boolean(),
}
const estimateBaseSchema = z.object(estimateBaseFields)
export type EstimateBaseValues = z.infer<typeof estimateBaseSchema>

export function validateDeposit({ depositKind, deposit }: { depositKind: DepositKind; deposit: string }): FieldFault[] {
  return depositKind !== 'standing' && parsePercentOrAmount(depositKind, deposit) === undefined
    ? [{ message: texts.deposit, path: ['deposit'] }]
    : []
}
