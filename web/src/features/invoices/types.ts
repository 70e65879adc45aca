import type { Schema } from '@/api/client'

export type InvoiceSummary = Schema['InvoiceSummary']
export type InvoiceView = Schema['InvoiceView']
export type NewInvoice = Schema['InvoiceRequest']
export type InvoicePatch = Schema['InvoicePatch']
export type ReminderCandidate = Schema['InvoiceReminder']
/** As a person ticks them. */
export type DeliveryChannels = { email: boolean; text: boolean }
