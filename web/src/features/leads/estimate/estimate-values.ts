// An estimate between its form and the server: what stands in the form at first, and what is asked for.
import { readMoney } from '@/lib/read-money'
import { emptyOffer, termsAgain, toTerms } from '@/features/paper/offer/values'
import { toPaper, typedPaper } from '@/features/paper/read-lines'
import type { EstimateView, LeadDetail } from '../queries'
import type { EstimateValues } from '../schema'

export function emptyEstimate(lead: LeadDetail): EstimateValues {
  return { isItemized: false, quotedTotal: '', ...emptyOffer(lead, 'standing') }
}

type Content = EstimateView['content']

/** One line over the whole amount, as a typed amount becomes it. */
function isAmountAlone({ title, lines, options = [], discount }: Content): boolean {
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

/** The version there is, to be changed. Its last day is reckoned anew. */
export function estimateAgain(lead: LeadDetail, estimate: EstimateView): EstimateValues {
  const { content, total } = estimate
  return {
    ...emptyEstimate(lead),
    ...(isAmountAlone(content) ? { quotedTotal: total.toFixed(2) } : { isItemized: true, ...typedPaper(content) }),
    ...termsAgain(estimate),
  }
}

export function toRequest(values: EstimateValues) {
  // The form has checked that it is one.
  return {
    ...(values.isItemized ? toPaper(values) : { quotedTotal: readMoney(values.quotedTotal) ?? 0 }),
    ...toTerms(values),
  }
}
