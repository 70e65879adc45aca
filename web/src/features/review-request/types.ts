import type { Schema } from '@/api/client'

export type RequestPreview = Schema['ReviewRequestPreview']
export type SentReviewRequest = Schema['ReviewRequested']

/** The lead or the job whose customer is asked. */
export type ReviewRequestTarget = { kind: 'lead' | 'job'; id: string }
