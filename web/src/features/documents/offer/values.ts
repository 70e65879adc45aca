// Conversion of offer terms between form and server.
import type { UseFormReturn } from 'react-hook-form'
import { emptyLineItems, toPercentOrAmountRequest, toPercentOrAmountValues } from '../line-values'
import { type Recipient, wantsText } from '../channel-fields'
import type { OfferValues } from './schema'
import type { Offer } from './types'

/** A form that has more fields than an offer's is an offer's form too; its own types cannot say so. */
export const asOfferForm = <T extends OfferValues>(form: UseFormReturn<T>) =>
  form as unknown as UseFormReturn<OfferValues>

export function emptyOffer(to: Recipient, depositKind: OfferValues['depositKind']): OfferValues {
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
}: Offer): Pick<OfferValues, 'depositKind' | 'deposit' | 'notes' | 'terms'> {
  const { kind, typed } = toPercentOrAmountValues(depositRule)
  return { depositKind: kind, deposit: typed, notes: notes ?? '', terms: terms ?? '' }
}

/** The same as the server reads it. */
export function toOfferTerms({ depositKind, deposit, notes, terms, expiresOn, email, text }: OfferValues) {
  return {
    ...(depositKind === 'standing' ? {} : { deposit: toPercentOrAmountRequest(depositKind, deposit) }),
    ...(notes === '' ? {} : { notes }),
    ...(terms === '' ? {} : { terms }),
    ...(expiresOn === '' ? {} : { expiresOn }),
    send: { email, text },
  }
}
