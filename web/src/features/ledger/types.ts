import type { Schema } from '@/api/client'

export type PaymentView = Schema['PaymentView']
export type RefundOutcome = Schema['RefundOutcome']
