// What the form of an offer accepts. The server looks at everything once more.
import * as z from 'zod/mini'
import { readPart } from '../read-lines'
import { type Fault, PART_KINDS, paperFields } from '../schema'
import { offerMessages as texts } from './messages'

const text = () => z.string().check(z.trim())

/** What is due on approval: as the settings say, or another for this one. */
export const DEPOSIT_KINDS = ['standing', ...PART_KINDS] as const
type DepositKind = (typeof DEPOSIT_KINDS)[number]

/** Beside these an estimate and a change order have fields of their own. */
export const offerFields = {
  ...paperFields,
  depositKind: z.enum(DEPOSIT_KINDS),
  deposit: text(),
  notes: text(),
  terms: text(),
  expiresOn: z.string(),
  email: z.boolean(),
  text: z.boolean(),
}
const offerSchema = z.object(offerFields)
export type OfferValues = z.infer<typeof offerSchema>

export function depositFaults({ depositKind, deposit }: { depositKind: DepositKind; deposit: string }): Fault[] {
  return depositKind !== 'standing' && readPart(depositKind, deposit) === undefined
    ? [{ message: texts.deposit, path: ['deposit'] }]
    : []
}
