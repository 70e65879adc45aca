// A line of the books, and how a refund ended, as the API tells it.
import type { Schema } from '@/api/client'

export type PaymentView = Schema['PaymentView']
export type RefundOutcome = Schema['RefundOutcome']
