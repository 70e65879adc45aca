// Conversion of an estimate between form and server.
import type { EstimateView } from '@/features/documents/estimate/types'
import { parseMoney } from '@/lib/parse-money'
import { emptyEstimateBase, toTermsValues, toEstimateTerms } from '@/features/documents/estimate/values'
import { toLineItemsRequest, toLineItemsValues } from '@/features/documents/line-values'
import type { LeadDetail } from '../queries'
import type { EstimateValues } from '../schema'

export function emptyEstimate(lead: LeadDetail): EstimateValues {
  return { isItemized: false, quotedTotal: '', ...emptyEstimateBase(lead, 'standing') }
}

type Content = EstimateView['content']

/** One line over the whole amount, as a typed amount becomes it. */
function isSingleAmount({ title, lines, options = [], discount }: Content): boolean {
  const [line, other] = lines
  return (
    !title &&
    options.length === 0 &&
    !discount &&
    line !== undefined &&
    other === undefined &&
    line.quantity === 1 &&
    !line.taxRate &&
    !line.discount &&
    !line.optional
  )
}

/** The version there is, to be changed. Its last day is computed again. */
export function reviseEstimate(lead: LeadDetail, estimate: EstimateView): EstimateValues {
  const { content, total } = estimate
  return {
    ...emptyEstimate(lead),
    ...(isSingleAmount(content)
      ? { quotedTotal: total.toFixed(2) }
      : { isItemized: true, ...toLineItemsValues(content) }),
    ...toTermsValues(estimate),
  }
}

export function toEstimateRequest(values: EstimateValues) {
  // The form has checked that it is one.
  return {
    ...(values.isItemized ? toLineItemsRequest(values) : { quotedTotal: parseMoney(values.quotedTotal) ?? 0 }),
    ...toEstimateTerms(values),
  }
}
