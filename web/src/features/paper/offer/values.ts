// An offer between its form and the server: what stands beside its lines.
import type { UseFormReturn } from 'react-hook-form'
import { emptyPaper, toPart, typedPart } from '../read-lines'
import { type Recipient, takesTexts } from '../way-fields'
import type { OfferValues } from './schema'
import type { Offer } from './types'

/** A form that has more fields than an offer's is an offer's form too; its own types cannot say so. */
export const asOfferForm = <T extends OfferValues>(form: UseFormReturn<T>) =>
  form as unknown as UseFormReturn<OfferValues>

export function emptyOffer(to: Recipient, depositKind: OfferValues['depositKind']): OfferValues {
  return {
    ...emptyPaper(''),
    depositKind,
    deposit: '',
    notes: '',
    terms: '',
    expiresOn: '',
    email: Boolean(to.email),
    text: takesTexts(to),
  }
}

/** What stands beside the lines of the version there is. Its last day is reckoned anew. */
export function termsAgain({
  content: { depositRule, notes, terms },
}: Offer): Pick<OfferValues, 'depositKind' | 'deposit' | 'notes' | 'terms'> {
  const { kind, typed } = typedPart(depositRule)
  return { depositKind: kind, deposit: typed, notes: notes ?? '', terms: terms ?? '' }
}

/** The same as the server reads it. */
export function toTerms({ depositKind, deposit, notes, terms, expiresOn, email, text }: OfferValues) {
  return {
    ...(depositKind === 'standing' ? {} : { deposit: toPart(depositKind, deposit) }),
    ...(notes === '' ? {} : { notes }),
    ...(terms === '' ? {} : { terms }),
    ...(expiresOn === '' ? {} : { expiresOn }),
    send: { email, text },
  }
}
