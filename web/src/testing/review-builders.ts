// Reviews, review requests and a monthly report, complete as in the API, for tests.
import type { ReviewAsk, ReviewReport, ReviewReportRow, Review } from '@/features/reviews/types'
import type { RequestPreview } from '@/features/review-request/types'
import { buildId } from './builders'

export function buildReview(parts: Partial<Review> = {}): Review {
  return {
    id: buildId(),
    date: '2026-11-20',
    customer_name: 'Carla Customer',
    rating: 5,
    review_text: 'The tap is as good as new.',
    source: 'Google',
    receivedAt: '2026-11-20T16:00:00.000Z',
    way: 'page',
    customerId: null,
    customerName: null,
    leadId: null,
    jobId: null,
    jobNumber: null,
    matched: null,
    suggestion: null,
    reply: null,
    ...parts,
  }
}

export function buildAsk(parts: Partial<ReviewAsk> = {}): ReviewAsk {
  return {
    id: buildId(),
    customerId: buildId(),
    customerName: 'Carla Customer',
    leadId: buildId(),
    jobId: buildId(),
    jobNumber: 1007,
    cause: 'job_completed',
    state: 'asked',
    why: null,
    reason: null,
    plannedAt: '2026-11-20T16:00:00.000Z',
    askedAt: '2026-11-20T16:00:05.000Z',
    channel: 'sms',
    clickedAt: null,
    reviewId: null,
    createdAt: '2026-11-20T14:00:00.000Z',
    steps: [],
    canStop: false,
    ...parts,
  }
}

export function buildReportRow(parts: Partial<ReviewReportRow> = {}): ReviewReportRow {
  return {
    jobId: buildId(),
    jobNumber: 1007,
    customerId: buildId(),
    customerName: 'Carla Customer',
    completedAt: '2026-11-20T14:00:00.000Z',
    outcome: 'asked',
    why: null,
    reason: null,
    askedAt: '2026-11-20T16:00:05.000Z',
    channel: 'sms',
    ...parts,
  }
}

export function buildReport(parts: Partial<ReviewReport> = {}): ReviewReport {
  return {
    month: '2026-11',
    jobs: 1,
    asked: 1,
    waiting: 0,
    notAsked: 0,
    share: 100,
    reasons: [],
    rows: [buildReportRow()],
    ...parts,
  }
}

export function buildRequestPreview(parts: Partial<RequestPreview> = {}): RequestPreview {
  return {
    canAsk: true,
    needsOverride: false,
    channel: 'sms',
    to: '(512) 555-0100',
    text: 'How did we do? https://acme.test/r/token-1',
    at: '2026-11-21T15:00:00.000Z',
    followUps: ['2026-11-24T15:00:00.000Z', '2026-11-28T15:00:00.000Z'],
    why: 'The work is done, and nothing speaks against it.',
    lastAskedAt: null,
    ...parts,
  }
}
