import * as z from 'zod/mini'
import { parsePercentOrAmount } from '../line-values'
import { type FieldFault, AMOUNT_KINDS, lineItemsFields } from '../schema'
import { offerMessages as texts } from './messages'

const text = () => z.string().check(z.trim())

/** What is due on approval: as the settings say, or another for this one. */
export const OFFER_DEPOSIT_KINDS = ['standing', ...AMOUNT_KINDS] as const
type DepositKind = (typeof OFFER_DEPOSIT_KINDS)[number]

/** Beside these an estimate and a change order have fields of their own. */
export const offerFields = {
  ...lineItemsFields,
  depositKind: z.enum(OFFER_DEPOSIT_KINDS),
  deposit: text(),
  notes: text(),
  terms: text(),
  expiresOn: z.string(),
  email: z.boolean(),
  text: z.boolean(),
}
const offerSchema = z.object(offerFields)
export type OfferValues = z.infer<typeof offerSchema>

export function validateDeposit({ depositKind, deposit }: { depositKind: DepositKind; deposit: string }): FieldFault[] {
  return depositKind !== 'standing' && parsePercentOrAmount(depositKind, deposit) === undefined
    ? [{ message: texts.deposit, path: ['deposit'] }]
    : []
}
