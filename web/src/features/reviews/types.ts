// What the reviews' screens read and write, by the names they use.
import type { Schema } from '@/api/client'

export type Review = Schema['Review']
export type ReviewMatch = Schema['ReviewMatch']
export type ReviewSummary = Schema['ReviewSummary']
export type NewReview = Schema['ReviewRequest']
export type ReviewImport = Schema['ReviewImport']
export type ReviewImportRow = Schema['ReviewRow']

export type Ask = Schema['ReviewAsk']
export type AskState = Schema['ReviewAskState']
export type AskCause = Schema['ReviewAskCause']
export type AskStep = Schema['ReviewAskStep']

export type AskReport = Schema['ReviewReport']
export type AskOutcome = Schema['ReviewAskOutcome']
export type ReportRow = Schema['ReviewReportRow']

export type CustomerChoice = Schema['CustomerSummary']
