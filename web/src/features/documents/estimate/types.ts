// What a customer approves at a link: an estimate, or a change order, which is one that names its job.
import type { Schema } from '@/api/client'

export type EstimateView = Schema['EstimateView']
export type Verification = Schema['EstimateProof']

/** Each has its own name wherever it is spoken of. */
export type EstimateKind = 'estimate' | 'change_order'
/** What changes a job names it. */
export const getEstimateKind = ({ jobId }: Pick<EstimateView, 'jobId'>): EstimateKind =>
  jobId ? 'change_order' : 'estimate'
