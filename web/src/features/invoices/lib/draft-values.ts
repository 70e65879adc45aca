// A draft between its form and the server.
import { toPaper, toPart, typedPaper } from '@/features/paper/read-lines'
import type { DraftValues } from '../schema'
import type { InvoicePatch, InvoiceView } from '../types'

export function draftValues({ content, dueOn }: Pick<InvoiceView, 'content' | 'dueOn'>): DraftValues {
  return {
    ...typedPaper(content),
    hasOptions: false,
    dueOn: dueOn ?? '',
    notes: content.notes ?? '',
    terms: content.terms ?? '',
    isFinal: content.isFinal,
  }
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const orNull = (typed: string) => (typed === '' ? null : typed)

/**
 * Only what was changed: lines that are left alone go on following what was agreed, which may have changed by the time
 * the invoice is sent.
 */
export function toPatch(values: DraftValues, began: DraftValues): InvoicePatch {
  const isDiscountSame = values.discountKind === began.discountKind && values.discount === began.discount
  return {
    ...(isSame(values.lines, began.lines) ? {} : { lines: toPaper(values).lines }),
    ...(isDiscountSame ? {} : { discount: toPart(values.discountKind, values.discount) }),
    ...(values.notes === began.notes ? {} : { notes: orNull(values.notes) }),
    ...(values.terms === began.terms ? {} : { terms: orNull(values.terms) }),
    ...(values.isFinal === began.isFinal ? {} : { isFinal: values.isFinal }),
    ...(values.dueOn === began.dueOn ? {} : { dueOn: orNull(values.dueOn) }),
  }
}
