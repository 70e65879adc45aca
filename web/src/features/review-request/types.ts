// What is read and sent when a customer is asked for a review by hand, by the names used here.
import type { Schema } from '@/api/client'

export type RequestPreview = Schema['ReviewRequestPreview']
export type Requested = Schema['ReviewRequested']

/** The lead or the job whose customer is asked. */
export type AskedFor = { kind: 'lead' | 'job'; id: string }
