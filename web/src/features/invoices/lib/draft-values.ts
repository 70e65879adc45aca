// Conversion of a draft between form and server.
import { toLineItemsRequest, toPercentOrAmountRequest, toLineItemsValues } from '@/features/documents/line-values'
import type { DraftValues } from '../schema'
import type { InvoicePatch, InvoiceView } from '../types'

export function toDraftValues({ content, dueOn }: Pick<InvoiceView, 'content' | 'dueOn'>): DraftValues {
  return {
    ...toLineItemsValues(content),
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
 * Changed fields only: unchanged lines keep following the agreed amount, which may have changed by the time
 * the invoice is sent.
 */
export function toInvoicePatch(values: DraftValues, initialValues: DraftValues): InvoicePatch {
  const isDiscountSame =
    values.discountKind === initialValues.discountKind && values.discount === initialValues.discount
  return {
    ...(isSame(values.lines, initialValues.lines) ? {} : { lines: toLineItemsRequest(values).lines }),
    ...(isDiscountSame ? {} : { discount: toPercentOrAmountRequest(values.discountKind, values.discount) }),
    ...(values.notes === initialValues.notes ? {} : { notes: orNull(values.notes) }),
    ...(values.terms === initialValues.terms ? {} : { terms: orNull(values.terms) }),
    ...(values.isFinal === initialValues.isFinal ? {} : { isFinal: values.isFinal }),
    ...(values.dueOn === initialValues.dueOn ? {} : { dueOn: orNull(values.dueOn) }),
  }
}
