import { expect, it } from 'vitest'
import { buildId } from '@/testing/builders'
import { buildJobDetail } from '@/testing/job-builders'
import { buildInvoice, buildMoney } from '@/testing/paper-builders'
import { getCompletionStep } from './completion-step'

const job = buildJobDetail({ status: 'Completed', value: 450 })
const open = buildInvoice({ balance: 300 })
const draft = buildInvoice({ status: 'draft', jobId: job.id, total: 450 })
const asked = {
  kind: 'review_request',
  channel: 'sms',
  at: '2026-11-20T15:04:05.000Z',
  statusText: 'delivered',
} as const

it.each([
  ['unknown money', undefined, {}, { kind: 'request_review' }],
  ['draft of the job', { invoices: [open, draft] }, {}, { kind: 'send_draft', invoiceId: draft.id, amount: 450 }],
  [
    'draft of another job',
    { invoices: [{ ...draft, jobId: buildId() }], invoiced: 1, collected: 1 },
    {},
    { kind: 'request_review' },
  ],
  ['open invoice', { invoices: [open], owed: 300 }, {}, { kind: 'collect', amount: 300, invoiceId: open.id }],
  [
    'two open invoices',
    { invoices: [open, buildInvoice({ status: 'overdue', balance: 50 })], owed: 350 },
    {},
    { kind: 'collect', amount: 350, invoiceId: null },
  ],
  ['approved and not billed', { agreed: 450, owed: 450 }, {}, { kind: 'new_invoice', amount: 450 }],
  ['a value and no paper', {}, {}, { kind: 'new_invoice', amount: 450 }],
  ['nothing to bill', {}, { value: null }, { kind: 'request_review' }],
  ['paid', { agreed: 450, invoiced: 450, collected: 450 }, {}, { kind: 'request_review' }],
  ['paid and asked', { agreed: 450, invoiced: 450, collected: 450 }, { messages: [asked] }, undefined],
] as const)('finished job, %s', (_what, money, parts, step) =>
  expect(
    getCompletionStep(
      { ...job, ...parts, messages: [...('messages' in parts ? parts.messages : [])] },
      money && buildMoney({ ...money, invoices: [...('invoices' in money ? money.invoices : [])] }),
    ),
  ).toEqual(step),
)
