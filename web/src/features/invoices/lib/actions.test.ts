import { expect, it } from 'vitest'
import { buildInvoice } from '@/testing/paper-builders'
import { getInvoiceActions } from './actions'
import { formatDueDate } from './due-date-text'

const named = (parts: Parameters<typeof buildInvoice>[0]) =>
  getInvoiceActions(buildInvoice(parts)).map(({ label }) => label)

it.each([
  [{ status: 'draft' }, ['Send invoice', 'Edit draft', 'Throw the draft away']],
  [
    { status: 'open' },
    ['Record payment', 'Send again', 'Promise to pay', 'Disputed by the customer', 'New link', 'Void invoice'],
  ],
  [
    { status: 'overdue', promisedOn: '2026-12-24', disputedAt: '2026-12-01T10:00:00.000Z' },
    [
      'Record payment',
      'Send again',
      'Promise to pay',
      'Remove the promise',
      'Dispute is settled',
      'New link',
      'Void invoice',
    ],
  ],
  [
    { status: 'open', paid: 100 },
    ['Record payment', 'Send again', 'Promise to pay', 'Disputed by the customer', 'New link', 'Void invoice'],
  ],
  [{ status: 'preparing' }, []],
  [{ status: 'paid' }, ['Void invoice']],
  [{ status: 'void' }, []],
] as const)('%o', (parts, labels) => expect(named(parts)).toEqual(labels))

it.each([
  [{ status: 'open', dueOn: '2026-12-04' }, 'Due Dec 4, 2026'],
  [{ status: 'overdue', dueOn: '2026-12-04', daysOverdue: 1 }, '1 day overdue'],
  [{ status: 'overdue', dueOn: '2026-12-04', daysOverdue: 12 }, '12 days overdue'],
  [{ status: 'paid', dueOn: '2026-12-04' }, ''],
  [{ status: 'draft', dueOn: null }, ''],
] as const)('%o is %s', (parts, words) => expect(formatDueDate(buildInvoice(parts))).toBe(words))
