// What is left to do for a finished job.
import type { Schema } from '@/api/client'
import type { JobDetail } from '../types'

/** Amounts are US dollars. */
export type CompletionStep =
  | { kind: 'send_draft'; invoiceId: string; amount: number }
  | { kind: 'new_invoice'; amount: number }
  | { kind: 'collect'; amount: number; invoiceId: string | null }
  | { kind: 'request_review' }

const UNPAID_STATUSES: ReadonlySet<Schema['InvoiceState']> = new Set(['preparing', 'open', 'overdue'])

/** The bill first, then its payment, then the review. Unknown money asks for the review only. */
export function getCompletionStep(
  job: Pick<JobDetail, 'id' | 'value' | 'messages'>,
  money: Schema['LeadMoney'] | undefined,
): CompletionStep | undefined {
  const billing = money && getBillingStep(job, money)
  if (billing) return billing
  return job.messages.some(({ kind }) => kind === 'review_request') ? undefined : { kind: 'request_review' }
}

function getBillingStep(
  { id, value }: Pick<JobDetail, 'id' | 'value'>,
  { invoices, owed, agreed, invoiced, collected }: Schema['LeadMoney'],
): CompletionStep | undefined {
  const draft = invoices.find(({ status, jobId }) => status === 'draft' && jobId === id)
  if (draft) return { kind: 'send_draft', invoiceId: draft.id, amount: draft.total }
  const unpaid = invoices.filter(({ status, balance }) => UNPAID_STATUSES.has(status) && balance > 0)
  const [first, ...others] = unpaid
  if (first) {
    const amount = unpaid.reduce((sum, { balance }) => sum + balance, 0)
    return { kind: 'collect', amount, invoiceId: others.length === 0 ? first.id : null }
  }
  if (owed > 0) return { kind: 'new_invoice', amount: owed }
  const isUntouched = typeof agreed !== 'number' && invoiced === 0 && collected === 0
  return isUntouched && typeof value === 'number' && value > 0 ? { kind: 'new_invoice', amount: value } : undefined
}
