import { describe, expect, it } from 'vitest'
import { buildCustomer, buildSummary } from '@/testing/customer-builders'
import { listMergeChoices } from './merge-choices'

describe('merge choices', () => {
  const bob = buildSummary({ name: 'Bob Stone' })
  const namesake = buildSummary({ name: 'ann  lee' })
  const double = buildSummary({ name: '(512) 555-0199' })
  const customer = buildCustomer({
    duplicates: [
      { id: double.id, name: double.name, phoneShown: null, email: null, why: 'Same phone: (512) 555-0142' },
    ],
  })

  it('without a search: doubles, then the same name, then the others, each once and never itself', () => {
    const found = [bob, namesake, double, namesake, buildSummary({ id: customer.id })]
    expect(listMergeChoices(customer, '', found).map(({ id, why }) => [id, why])).toEqual([
      [double.id, 'Same phone: (512) 555-0142'],
      [namesake.id, 'Same name'],
      [bob.id, undefined],
    ])
  })

  it('search: only what it found', () => {
    expect(listMergeChoices(customer, 'bob', [bob]).map(({ id }) => id)).toEqual([bob.id])
  })
})
