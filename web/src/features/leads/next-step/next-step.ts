// What comes next for a lead, from its stage, promise, jobs, papers and money.
import type { Schema } from '@/api/client'
import type { EstimateView } from '@/features/documents/estimate/types'
import { getOpenPromise, type ResponsePromise } from '../lib/response-promise'
import type { LeadDetail, LeadMoney } from '../queries'

type LeadJob = Schema['JobSummary']

export type LeadFacts = {
  estimates: readonly EstimateView[]
  jobs: readonly LeadJob[]
  money: LeadMoney
  /** Without crews a visit needs none. */ hasCrews: boolean
}

/** Amounts are US dollars. */
export type LeadStep =
  | { kind: 'held'; reason: string }
  | { kind: 'answer' | 'call_back'; promise: ResponsePromise }
  | { kind: 'send_estimate'; isExpired: boolean }
  | {
      kind: 'await_approval'
      number: string | null
      total: number | null
      since: string | null
      isViewed: boolean
      /** Why it has not left. */ unsent: string | null
    }
  | { kind: 'schedule'; jobId: string | null; total: number | null; depositDue: number }
  | { kind: 'assign_crew'; jobId: string; startsAt: string }
  | {
      kind: 'visit'
      jobId: string
      startsAt: string
      endsAt: string | null
      crew: string | null
      depositDue: number
    }
  | { kind: 'in_progress'; jobId: string; crew: string | null }
  | { kind: 'send_invoice'; amount: number | null; draftId: string | null }
  | { kind: 'collect'; amount: number; invoiceId: string | null; daysOverdue: number }
  | { kind: 'request_review' }
  | { kind: 'complete' }
  | { kind: 'lost'; why: 'declined' | 'no_reply'; reason: string | null }

const UNPAID_STATUSES: ReadonlySet<Schema['InvoiceState']> = new Set(['preparing', 'open', 'overdue'])
const UNSENT_STATUSES: ReadonlySet<Schema['MessageStatus']> = new Set(['failed', 'not_sent'])

/** The step of a lead that needs no other facts: it is held, or new and waits for an answer. */
export function getUrgentStep(lead: LeadDetail): LeadStep | undefined {
  if (lead.heldReason) return { kind: 'held', reason: lead.heldReason }
  return lead.stage === 'New' ? getAnswerStep(lead, []) : undefined
}

/** An estimate that went out since they asked is an answer. */
function getAnswerStep(lead: LeadDetail, estimates: readonly EstimateView[]): LeadStep | undefined {
  const promise = getOpenPromise(lead)
  if (!promise) return undefined
  const isSince = (at: string | null | undefined) => Boolean(at) && Date.parse(at ?? '') > Date.parse(promise.madeAt)
  if (estimates.some(({ sentAt, approvedAt, unsent }) => isSince(approvedAt) || (!unsent && isSince(sentAt))))
    return undefined
  return { kind: lead.form === 'call' ? 'call_back' : 'answer', promise }
}

/** One step: a held or waiting person first, then the work, then the money, then the offer. */
export function getNextStep(lead: LeadDetail, facts: LeadFacts): LeadStep {
  return (
    getUrgentStep(lead) ??
    getAnswerStep(lead, facts.estimates) ??
    getVisitStep(facts) ??
    getFinishedStep(lead, facts) ??
    getOfferStep(lead, facts)
  )
}

const byDate = (a: LeadJob, b: LeadJob) => Date.parse(a.date ?? '') - Date.parse(b.date ?? '')

/** Of a job that is not finished: the work under way, else the next visit, else the one without a time. */
function getVisitStep({ jobs, money, hasCrews }: LeadFacts): LeadStep | undefined {
  const underway = jobs.find(({ status }) => status === 'In Progress')
  if (underway) return { kind: 'in_progress', jobId: underway.id, crew: getCrewName(underway) }
  const planned = jobs.filter(({ status }) => status === 'Scheduled')
  const [next] = planned.filter(({ date }) => date).toSorted(byDate)
  if (next?.date) {
    const { id: jobId, date: startsAt, endsAt = null, crewId } = next
    if (!crewId && hasCrews) return { kind: 'assign_crew', jobId, startsAt }
    return { kind: 'visit', jobId, startsAt, endsAt, crew: getCrewName(next), depositDue: money.depositDue }
  }
  const [undated] = planned
  return undated && { kind: 'schedule', jobId: undated.id, total: undated.value ?? null, depositDue: money.depositDue }
}

const getCrewName = ({ crewId, crew }: LeadJob) => (crewId ? crew : null)

/** Of work that is done, or was paid. */
function getFinishedStep(lead: LeadDetail, facts: LeadFacts): LeadStep | undefined {
  const isDone = lead.stage === 'Done' || lead.stage === 'Paid' || facts.jobs.some(isCompleted)
  if (!isDone) return undefined
  return getBillingStep(lead, facts) ?? { kind: wasReviewRequested(lead) ? 'complete' : 'request_review' }
}

const isCompleted = ({ status }: LeadJob) => status === 'Completed'

const wasReviewRequested = ({ messages }: LeadDetail) =>
  messages.some(({ kind, status }) => kind === 'review_request' && !UNSENT_STATUSES.has(status))

/** What is left to bill or to collect. */
function getBillingStep(lead: LeadDetail, { money, jobs }: LeadFacts): LeadStep | undefined {
  const collect = getCollectStep(money)
  if (lead.stage === 'Paid') return collect
  const draft = money.invoices.find(({ status }) => status === 'draft')
  if (draft) return { kind: 'send_invoice', amount: draft.total, draftId: draft.id }
  if (collect) return collect
  if (money.owed > 0) return { kind: 'send_invoice', amount: money.owed, draftId: null }
  const isUntouched = typeof money.agreed !== 'number' && money.invoiced === 0 && money.collected === 0
  if (!isUntouched) return undefined
  const worth = jobs.filter(isCompleted).reduce((sum, { value }) => sum + (value ?? 0), 0)
  return { kind: 'send_invoice', amount: worth > 0 ? worth : null, draftId: null }
}

/** Of sent invoices. */
function getCollectStep({ invoices }: LeadMoney): LeadStep | undefined {
  const unpaid = invoices.filter(({ status, balance }) => UNPAID_STATUSES.has(status) && balance > 0)
  const [first, ...others] = unpaid
  if (!first) return undefined
  return {
    kind: 'collect',
    amount: unpaid.reduce((sum, { balance }) => sum + balance, 0),
    invoiceId: others.length === 0 ? first.id : null,
    daysOverdue: Math.max(...unpaid.map(({ daysOverdue }) => daysOverdue)),
  }
}

/** Of work that nobody has done or planned yet. */
function getOfferStep(lead: LeadDetail, { estimates, money }: LeadFacts): LeadStep {
  // A change order belongs to a job.
  const offers = estimates.filter(({ jobId }) => !jobId)
  const find = (...statuses: EstimateView['status'][]) => offers.find(({ status }) => statuses.includes(status))
  const approved = find('approved')
  if (approved || lead.stage === 'Scheduled')
    return { kind: 'schedule', jobId: null, total: approved?.total ?? null, depositDue: money.depositDue }
  const collect = getCollectStep(money)
  if (collect) return collect
  const sent = find('open', 'preparing')
  if (sent) return awaitApproval(sent)
  if (find('expired')) return { kind: 'send_estimate', isExpired: true }
  const declined = find('declined')
  if (declined) return { kind: 'lost', why: 'declined', reason: declined.declineReason ?? null }
  if (lead.stage === 'Quoted') return awaitApproval(undefined, lead.quotedTotal)
  if (lead.promise?.state === 'released') return { kind: 'lost', why: 'no_reply', reason: null }
  return { kind: 'send_estimate', isExpired: false }
}

const awaitApproval = (sent: EstimateView | undefined, total?: number | null): LeadStep => ({
  kind: 'await_approval',
  number: sent?.number ?? null,
  total: sent?.total ?? total ?? null,
  since: sent ? (sent.sentAt ?? sent.createdAt) : null,
  isViewed: Boolean(sent?.viewedAt),
  unsent: sent?.unsent ?? null,
})
