// What the invoices read and write, by the names the screens use.
import type { Schema } from '@/api/client'
import type { InvoiceStatus } from '@/domain/invoice'

export type InvoiceSummary = Omit<Schema['InvoiceSummary'], 'status'> & { status: InvoiceStatus }
export type InvoiceContent = Schema['Paper'] & { title?: string | null; about?: string | null; isFinal: boolean; howToPay?: string | null }
export type InvoiceView = InvoiceSummary & {
  estimateId?: string | null
  sentAt?: string | null
  settledAt?: string | null
  content: InvoiceContent
  totals: Schema['Totals']
  payments: Schema['PaymentView'][]
  followUps: Schema['FollowUp'][]
  link?: string | null
  fileId?: string | null
  events: Schema['WorkEvent'][]
}
export type NewInvoice = {
  leadId?: string
  jobId?: string
  estimateId?: string
  share?: Schema['Part']
  lines?: { name: string; quantity: number; unitPrice: number }[]
  dueOn?: string
  notes?: string
}
export type InvoicePatch = {
  lines?: object[]
  discount?: Schema['Part'] | null
  notes?: string | null
  terms?: string | null
  dueOn?: string | null
}
export type Ways = { email: boolean; text: boolean }
export type OldInvoice = { invoiceId: string; number: string; customer: string; balance: number; daysOverdue: number; dates: string[]; channel?: string | null; text?: string | null; cannot?: string | null }
