// An estimate between its form and the server: what stands in the form at first, and what is asked for.
import { readMoney } from '@/lib/read-money'
import { emptyPaper, toPaper, toPart, typedPaper, typedPart } from '@/paper/read-lines'
import type { EstimateView, LeadDetail } from '../queries'
import type { EstimateValues } from '../schema'

export function emptyEstimate(lead: LeadDetail): EstimateValues {
  return {
    isItemized: false, quotedTotal: '', ...emptyPaper(''), depositKind: 'standing', deposit: '', notes: '', terms: '', expiresOn: '', email: Boolean(lead.email), text: Boolean(lead.phone),
  }
}

type Content = EstimateView['content']

/** One line over the whole amount, as a typed amount becomes it. */
function isAmountAlone({ title, lines, options = [], discount }: Content): boolean {
  const [line, other] = lines
  return !title && options.length === 0 && !discount && line !== undefined && other === undefined && line.quantity === 1 && !line.taxRate && !line.discount && !line.optional
}

/** The version there is, to be changed. Its last day is reckoned anew. */
export function estimateAgain(lead: LeadDetail, { content, total }: EstimateView): EstimateValues {
  const deposit = typedPart(content.depositRule)
  return {
    ...emptyEstimate(lead),
    ...(isAmountAlone(content) ? { quotedTotal: total.toFixed(2) } : { isItemized: true, ...typedPaper(content) }),
    depositKind: deposit.kind,
    deposit: deposit.typed,
    notes: content.notes ?? '',
    terms: content.terms ?? '',
  }
}

export function toRequest(values: EstimateValues) {
  const { isItemized, quotedTotal, depositKind, deposit, notes, terms, expiresOn, email, text } = values
  return {
    // The form has checked that it is one.
    ...(isItemized ? toPaper(values) : { quotedTotal: readMoney(quotedTotal) ?? 0 }),
    ...(depositKind === 'standing' ? {} : { deposit: toPart(depositKind, deposit) }),
    ...(notes === '' ? {} : { notes }),
    ...(terms === '' ? {} : { terms }),
    ...(expiresOn === '' ? {} : { expiresOn }),
    send: { email, text },
  }
}
