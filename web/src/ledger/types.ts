// A line of the books, as the API tells it.
import type { Schema } from '@/api/client'

export type PaymentView = Schema['PaymentView']
