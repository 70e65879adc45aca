// The small rules under the list: where the next page begins, and what a search on this device finds.
import { describe, expect, it } from 'vitest'
import { buildLead } from '@/testing/builders'
import { matchesSearch } from './matches-search'
import { nextCursor } from '@/lib/next-cursor'

describe('the next page', () => {
  it('begins where the Link header says', () => {
    expect(nextCursor('</api/leads/x?limit=2&cursor=a%2Fb>; rel="next"')).toBe('a/b')
    expect(nextCursor('<https://a.test/p?cursor=0>; rel="prev", <https://a.test/p?cursor=2,3>; rel="next"')).toBe('2,3')
  })

  it('is none without one', () => {
    expect(nextCursor(null)).toBeNull()
    expect(nextCursor('</api/leads/x?cursor=1>; rel="prev"')).toBeNull()
  })
})

describe('a search on this device', () => {
  const lead = buildLead({
    name: 'Carla Customer',
    service: 'hvac',
    phone: '(312) 555-0199',
    phoneE164: '+13125550199',
  })

  it.each(['carla', 'CUSTOMER', 'hvac', 'HVAC', '555-0199', '3125550199', '312.555', '  '])('finds by %s', (q) => {
    expect(matchesSearch(lead, q)).toBe(true)
  })

  it.each(['roofing', '773', 'x5550199'])('does not find by %s', (q) => expect(matchesSearch(lead, q)).toBe(false))
})
