// What the reviews' screens read and write, by the names they use.
// TO BE REPLACED by the generated types as soon as src/api/schema.d.ts has them: until then this is the contract, typed by hand.

export type ReviewWay = 'page' | 'hand' | 'csv' | 'webhook'
export type ReviewMatch = 'request' | 'phone' | 'email' | 'person' | 'nobody'

export type Review = {
  id: string
  date?: string | null
  customer_name?: string | null
  rating: number
  review_text?: string | null
  source: string
  receivedAt: string
  way: ReviewWay
  customerId?: string | null
  customerName?: string | null
  leadId?: string | null
  jobId?: string | null
  jobNumber?: number | null
  matched?: ReviewMatch | null
  suggestion?: { customerId: string; name: string; jobId?: string | null; jobNumber?: number | null } | null
  reply?: { text: string; keptAt: string; by?: string | null } | null
}
export type ReviewDetail = Review & { draft: string }
export type ReviewSummary = { total: number; average?: number | null; requested: number; received: number }
export type NewReview = {
  date?: string | null
  customer_name?: string | null
  rating: number
  review_text?: string | null
  source?: string | null
  customerId?: string | null
  jobId?: string | null
  phone?: string | null
  email?: string | null
}
export type ReviewImportRow = { row: number; outcome: 'added' | 'same'; date?: string | null; customer_name?: string | null; rating: number; review_text?: string | null; source: string }
export type ReviewImport = {
  added: number
  same: number
  failed: number
  errors: { row: number; column: string; message: string }[]
  rows: ReviewImportRow[]
  ignored: string[]
}

export type AskState = 'waiting' | 'asked' | 'answered' | 'stopped' | 'not_asked'
export type AskCause = 'job_completed' | 'invoice_paid' | 'by_hand'
export type AskStep = {
  step: string
  dueAt: string
  state: 'waiting' | 'done' | 'stopped' | 'skipped'
  reason?: string | null
  channel?: 'sms' | 'email' | null
  messageId?: string | null
}
export type Ask = {
  id: string
  customerId: string
  customerName: string
  leadId: string
  jobId?: string | null
  jobNumber?: number | null
  cause: AskCause
  state: AskState
  why?: string | null
  reason?: string | null
  plannedAt?: string | null
  askedAt?: string | null
  channel?: 'sms' | 'email' | null
  clickedAt?: string | null
  reviewId?: string | null
  createdAt: string
  steps: AskStep[]
  canStop: boolean
}

export type AskOutcome = 'asked' | 'waiting' | 'not_asked'
export type ReportRow = {
  jobId: string
  jobNumber: number
  customerId: string
  customerName: string
  completedAt: string
  outcome: AskOutcome
  why?: string | null
  reason?: string | null
  askedAt?: string | null
  channel?: 'sms' | 'email' | null
}
export type AskReport = {
  month: string
  jobs: number
  asked: number
  waiting: number
  notAsked: number
  share?: number | null
  reasons: { why: string; reason: string; count: number }[]
  rows: ReportRow[]
}

export type CustomerChoice = { id: string; name: string; phoneShown?: string | null; email?: string | null }
