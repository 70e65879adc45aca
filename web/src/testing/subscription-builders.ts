// Subscription states of a business, for tests.
import type { Schema } from '@/api/client'

export function buildSubscription(parts: Partial<Schema['Subscription']> = {}): Schema['Subscription'] {
  return {
    active: true,
    currentPeriodEnd: '2026-12-22T15:00:00Z',
    setupPaid: true,
    plan: 'monthly',
    state: 'active',
    until: '2026-12-22T15:00:00Z',
    dataKeptUntil: null,
    endsAt: null,
    canBegin: false,
    price: 350,
    card: { brand: 'visa', last4: '4242', expires: '04/2029' },
    isSetUp: true,
    isTest: false,
    wouldEndAt: '2026-12-22T15:00:00Z',
    supportEmail: 'help@toolbox.test',
    ...parts,
  }
}
