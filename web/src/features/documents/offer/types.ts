// Offer: a document the customer approves at a link, an estimate or a change order.
import type { Schema } from '@/api/client'

export type Offer = Schema['EstimateView']
export type Verification = Schema['EstimateProof']

/** Each has its own name wherever it is spoken of. */
export type OfferKind = 'estimate' | 'change_order'
/** What changes a job names it. */
export const getOfferKind = ({ jobId }: Pick<Offer, 'jobId'>): OfferKind => (jobId ? 'change_order' : 'estimate')
