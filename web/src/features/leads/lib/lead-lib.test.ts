import { describe, expect, it } from 'vitest'
import { buildLead } from '@/testing/builders'
import { matchesSearch } from './matches-search'
import { parseNextCursor } from '@/lib/next-cursor'

describe('parseNextCursor', () => {
  it('reads the cursor of the Link header', () => {
    expect(parseNextCursor('</api/leads/x?limit=2&cursor=a%2Fb>; rel="next"')).toBe('a/b')
    expect(parseNextCursor('<https://a.test/p?cursor=0>; rel="prev", <https://a.test/p?cursor=2,3>; rel="next"')).toBe(
      '2,3',
    )
  })

  it('returns null without one', () => {
    expect(parseNextCursor(null)).toBeNull()
    expect(parseNextCursor('</api/leads/x?cursor=1>; rel="prev"')).toBeNull()
  })
})

describe('local lead search', () => {
  const lead = buildLead({
    name: 'Carla Customer',
    service: 'hvac',
    phone: '(312) 555-0199',
    phoneE164: '+13125550199',
  })

  it.each(['carla', 'CUSTOMER', 'hvac', 'HVAC', '555-0199', '3125550199', '312.555', '  '])('matches %s', (q) => {
    expect(matchesSearch(lead, q)).toBe(true)
  })

  it.each(['roofing', '773', 'x5550199'])('does not match %s', (q) => expect(matchesSearch(lead, q)).toBe(false))
})
