// What the invoices read and write, by the names the screens use.
import type { Schema } from '@/api/client'

export type InvoiceSummary = Schema['InvoiceSummary']
export type InvoiceView = Schema['InvoiceView']
export type NewInvoice = Schema['InvoiceRequest']
export type InvoicePatch = Schema['InvoicePatch']
export type OldInvoice = Schema['InvoiceReminder']
/** As a person ticks them. */
export type Ways = { email: boolean; text: boolean }
