// Conversion of estimate terms between form and server.
import type { UseFormReturn } from 'react-hook-form'
import { emptyLineItems, toPercentOrAmountRequest, toPercentOrAmountValues } from '../line-values'
import { type Recipient, wantsText } from '../channel-fields'
import type { EstimateBaseValues } from './schema'
import type { EstimateView } from './types'

/** A form that has more fields than an estimate's is an estimate's form too; its own types cannot say so. */
export const asEstimateBaseForm = <T extends EstimateBaseValues>(form: UseFormReturn<T>) =>
  form as unknown as UseFormReturn<EstimateBaseValues>

export function emptyEstimateBase(to: Recipient, depositKind: EstimateBaseValues['depositKind']): EstimateBaseValues {
  return {
    ...emptyLineItems(''),
    depositKind,
    deposit: '',
    notes: '',
    terms: '',
    expiresOn: '',
    email: Boolean(to.email),
    text: wantsText(to),
  }
}

/** Terms of the existing version; its last day is computed again. */
export function toTermsValues({
  content: { depositRule, notes, terms },
}: EstimateView): Pick<EstimateBaseValues, 'depositKind' | 'deposit' | 'notes' | 'terms'> {
  const { kind, typed } = toPercentOrAmountValues(depositRule)
  return { depositKind: kind, deposit: typed, notes: notes ?? '', terms: terms ?? '' }
}

/** The same as the server reads it. */
export function toEstimateTerms({ depositKind, deposit, notes, terms, expiresOn, email, text }: EstimateBaseValues) {
  return {
    ...(depositKind === 'standing' ? {} : { deposit: toPercentOrAmountRequest(depositKind, deposit) }),
    ...(notes === '' ? {} : { notes }),
    ...(terms === '' ? {} : { terms }),
    ...(expiresOn === '' ? {} : { expiresOn }),
    send: { email, text },
  }
}
