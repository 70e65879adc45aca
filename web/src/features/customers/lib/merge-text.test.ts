import { describe, expect, it } from 'vitest'
import { toCustomerChange } from '../actions/edit-dialog'
import { buildSide } from '@/testing/customer-builders'
import { describeOfferConsent, describeRecords, describeTextConsent } from './merge-text'

describe('merge texts', () => {
  it('list only what there is', () => {
    expect(describeRecords(buildSide({ leads: 1, messages: 12 }))).toBe('1 lead, 12 messages')
    expect(describeRecords(buildSide())).toBe('Nothing yet')
    expect(describeTextConsent({ optedOut: 'paused', isBlocked: true })).toBe(
      'They may have said STOP, no automatic messages',
    )
    expect([true, false, null].map((agreedToOffers) => describeOfferConsent({ agreedToOffers }))).toEqual([
      'Agreed',
      'Not agreed',
      'They have not said yes or no',
    ])
  })

  it('change request: only changed fields, emptied ones as null', () => {
    const began = { name: 'Ann', phone: '1', email: 'a@b.c', language: '' } as const
    expect(toCustomerChange({ ...began }, began)).toEqual({})
    expect(toCustomerChange({ ...began, email: '', language: 'es' }, began)).toEqual({ email: null, language: 'es' })
  })
})
