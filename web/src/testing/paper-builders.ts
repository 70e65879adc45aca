// Builders of documents, payments and work events.
import type { Schema } from '@/api/client'
import type { InvoiceSummary, InvoiceView } from '@/features/invoices/types'
import type { PriceItem } from '@/features/documents/queries'
import { buildId } from './builders'

export function buildEstimate(parts: Partial<Schema['EstimateView']> = {}): Schema['EstimateView'] {
  return {
    id: buildId(),
    leadId: buildId(),
    jobId: null,
    number: 'EST-1001',
    version: 1,
    status: 'open',
    total: 1250,
    deposit: 0,
    depositPaid: 0,
    depositDue: 0,
    issuedOn: '2026-11-20',
    expiresOn: '2026-12-20',
    createdAt: '2026-11-20T16:00:00.000Z',
    sentAt: '2026-11-20T16:00:05.000Z',
    viewedAt: null,
    approvedAt: null,
    declinedAt: null,
    declineReason: null,
    approval: null,
    fileId: buildId(),
    signedFileId: null,
    link: 'https://acme.test/p/token-1',
    followUps: [],
    content: { title: null, lines: [] },
    ...parts,
  }
}

export function buildChangeOrder(parts: Partial<Schema['EstimateView']> = {}): Schema['EstimateView'] {
  const {
    total = 350,
    content = {
      title: 'Rotten subfloor',
      lines: [{ id: '1', name: 'New subfloor', quantity: 1, unit: 'each', unitPrice: total }],
    },
  } = parts
  return { ...buildEstimate({ number: 'CO-1001', expiresOn: null, jobId: buildId() }), ...parts, total, content }
}

/** Summary as in the job detail. */
export function buildChangeSummary({
  id,
  number,
  version,
  status,
  total,
  deposit,
  issuedOn,
  createdAt,
  content,
  link,
  approval,
  sentAt,
  unsent,
  viewedAt,
  fileId,
  signedFileId,
}: Schema['EstimateView']): Schema['ChangeOrderSummary'] {
  return {
    id,
    number,
    version,
    status,
    title: content.title ?? null,
    total,
    deposit,
    issuedOn,
    createdAt,
    expiresOn: null,
    link: link ?? null,
    sentAt: sentAt ?? null,
    unsent: unsent ?? null,
    viewedAt: viewedAt ?? null,
    lines: content.lines.map(({ name, quantity, unitPrice }) => ({
      name,
      quantity: quantity === 1 ? null : `${quantity}`,
      amount: quantity * unitPrice,
    })),
    answeredAt: approval?.at ?? null,
    answeredBy: approval?.name ?? null,
    declineReason: null,
    fileId: fileId ?? null,
    signedFileId: signedFileId ?? null,
    canSend: status === 'open',
    canRevise: status !== 'withdrawn',
    canWithdraw: status === 'open',
  }
}

export function buildApproval(parts: Partial<Schema['EstimateApproval']> = {}): Schema['EstimateApproval'] {
  return {
    at: '2026-11-20T18:00:00.000Z',
    name: 'Carla Customer',
    manner: 'drawn',
    ip: '203.0.113.9',
    userAgent: null,
    optionId: null,
    addOns: [],
    total: 350,
    deposit: 0,
    pdfSha256: 'ab12',
    ...parts,
  }
}

export function buildPayment(parts: Partial<Schema['PaymentView']> = {}): Schema['PaymentView'] {
  return {
    id: buildId(),
    leadId: buildId(),
    number: 'RCP-1001',
    kind: 'payment',
    method: 'check',
    amount: 350,
    receivedOn: '2026-11-20',
    reference: 'Check 204',
    note: null,
    status: 'settled',
    refundOf: null,
    by: 'Olivia Owner',
    createdAt: '2026-11-20T16:00:00.000Z',
    undoable: false,
    undoUntil: null,
    markable: false,
    keyRefused: false,
    refundable: parts.amount ?? 350,
    allocations: [],
    ...parts,
  }
}

export function buildMoney(parts: Partial<Schema['LeadMoney']> = {}): Schema['LeadMoney'] {
  return {
    agreed: null,
    changeOrders: 0,
    invoiced: 0,
    collected: 0,
    refunded: 0,
    writtenOff: 0,
    owed: 0,
    credit: 0,
    depositDue: 0,
    depositPaid: 0,
    payments: [],
    invoices: [],
    owedApproved: parts.owed ?? 0,
    ...parts,
  }
}

export function buildWorkEvent(parts: Partial<Schema['WorkEvent']> = {}): Schema['WorkEvent'] {
  return {
    id: buildId(),
    kind: 'estimate_sent',
    title: 'Estimate sent',
    at: '2026-11-20T16:00:05.000Z',
    by: 'Olivia Owner',
    byKind: 'account',
    jobId: null,
    subjectId: null,
    detail: { number: 'EST-1001', total: 1250, channels: ['email', 'sms'], notSent: [] },
    undone: false,
    ...parts,
  }
}

export function buildInvoice(parts: Partial<InvoiceSummary> = {}): InvoiceSummary {
  return {
    id: buildId(),
    number: 'INV-1001',
    customer: 'Carla Customer',
    customerId: buildId(),
    leadId: buildId(),
    jobId: null,
    status: 'open',
    total: 1250,
    paid: 0,
    balance: 1250,
    issuedOn: '2026-11-20',
    dueOn: '2026-12-04',
    daysOverdue: 0,
    isReminded: true,
    promisedOn: null,
    disputedAt: null,
    viewedAt: null,
    createdAt: '2026-11-20T16:00:00.000Z',
    ...parts,
  }
}

export function buildInvoiceView(parts: Partial<InvoiceView> = {}): InvoiceView {
  const { total = 1250 } = parts
  const line = { id: '1', name: 'Work as discussed', quantity: 1, unit: 'each', unitPrice: total }
  return {
    ...buildInvoice(),
    estimateId: null,
    sentAt: '2026-11-20T16:00:05.000Z',
    settledAt: null,
    content: { title: 'Plumbing', about: 'EST-1001', isFinal: true, howToPay: null, lines: [line] },
    totals: {
      lines: [{ id: '1', gross: total, discount: 0, amount: total, share: 0, tax: 0 }],
      subtotal: total,
      discount: 0,
      taxes: [],
      tax: 0,
      total,
    },
    payments: [],
    followUps: [],
    link: 'https://acme.test/p/token-9',
    fileId: buildId(),
    events: [],
    ...parts,
  }
}

export function buildPriceItem(parts: Partial<PriceItem> = {}): PriceItem {
  return {
    id: buildId(),
    code: null,
    name: 'Service call',
    description: null,
    unit: 'each',
    price: 95,
    cost: null,
    taxRate: null,
    isActive: true,
    updatedAt: '2026-11-20T16:00:00.000Z',
    ...parts,
  }
}
