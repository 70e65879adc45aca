import type { Schema } from '@/api/client'

export type Review = Schema['Review']
export type ReviewMatch = Schema['ReviewMatch']
export type ReviewSummary = Schema['ReviewSummary']
export type NewReview = Schema['ReviewRequest']
export type ReviewImport = Schema['ReviewImport']
export type ReviewImportRow = Schema['ReviewRow']

export type ReviewAsk = Schema['ReviewAsk']
export type ReviewAskState = Schema['ReviewAskState']
export type ReviewAskCause = Schema['ReviewAskCause']
export type ReviewAskStep = Schema['ReviewAskStep']

export type ReviewReport = Schema['ReviewReport']
export type ReviewAskOutcome = Schema['ReviewAskOutcome']
export type ReviewReportRow = Schema['ReviewReportRow']

export type CustomerChoice = Schema['CustomerSummary']
