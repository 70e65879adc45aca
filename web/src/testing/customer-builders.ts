// A record of the merge preview, for tests.
import { buildId } from './builders'
import type { MergeSide } from '@/features/customers/types'

export function buildSide(parts: Partial<MergeSide> = {}): MergeSide {
  return {
    id: buildId(),
    name: 'Ann Lee',
    phones: ['(512) 555-0142'],
    emails: [],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: null,
    agreedToOffers: null,
    createdAt: '2026-11-20T15:04:05.000Z',
    leads: 0,
    jobs: 0,
    messages: 0,
    calls: 0,
    estimates: 0,
    invoices: 0,
    payments: 0,
    properties: 0,
    ...parts,
  }
}
