import { describe, expect, it } from 'vitest'
import { buildId, buildLead } from '@/testing/builders'
import { filterLeads, getLeadValue, isNarrowing, parseLeadFilters, patchLeadFilters } from './lead-filters'

const parse = (query: string) => parseLeadFilters(new URLSearchParams(query))
const owner = buildId()

describe('filters of an address', () => {
  it('are read, and left out where they do not fit', () => {
    expect(parse(`stage=Quoted&source=Google&waiting=true&owner=${owner}&sort=value`)).toEqual({
      stage: 'Quoted',
      source: 'Google',
      waiting: 'true',
      owner,
      sort: 'value',
    })
    expect(parse('owner=none&sort=last_touch')).toEqual({ owner: 'none' })
    expect(parse(`stage=Lost&source=${'x'.repeat(61)}&waiting=1&owner=sam&sort=name`)).toEqual({})
  })

  it('show those who wait where the longest wait comes first', () => {
    expect(parse('sort=longest_waiting')).toEqual({ waiting: 'true', sort: 'longest_waiting' })
    expect(patchLeadFilters({ stage: 'New' }, { sort: 'longest_waiting' })).toEqual({
      stage: 'New',
      waiting: 'true',
      sort: 'longest_waiting',
    })
    expect(patchLeadFilters({ waiting: 'true', sort: 'longest_waiting' }, { waiting: undefined })).toEqual({})
    expect(patchLeadFilters({ waiting: 'true', sort: 'value' }, { waiting: undefined })).toEqual({ sort: 'value' })
  })

  it('are taken away one by one', () => {
    expect(patchLeadFilters({ stage: 'New', source: 'Google' }, { source: '' })).toEqual({ stage: 'New' })
  })

  it('narrow the list unless they are an order alone', () => {
    expect([isNarrowing({}), isNarrowing({ sort: 'value' }), isNarrowing({ owner: 'none' })]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('filters on this device', () => {
  const [early, late] = ['2026-11-20T15:00:00.000Z', '2026-11-21T15:00:00.000Z']
  const ann = buildLead({ name: 'Ann', createdAt: early, lastTouchAt: late, quotedTotal: 100, waitingSince: late })
  const bo = buildLead({ name: 'Bo', createdAt: late, lastTouchAt: early, source: 'Google', waitingSince: early })
  const cal = buildLead({
    name: 'Cal',
    createdAt: '2026-11-19T15:00:00.000Z',
    lastTouchAt: '2026-11-19T15:00:00.000Z',
    stage: 'Paid',
    collectedAmount: 300,
    ownerUserId: owner,
  })
  const names = (query: string) => filterLeads([cal, bo, ann], parse(query)).map(({ name }) => name)

  it.each([
    ['', ['Ann', 'Bo', 'Cal']],
    ['sort=newest', ['Bo', 'Ann', 'Cal']],
    ['sort=oldest', ['Cal', 'Ann', 'Bo']],
    ['sort=value', ['Cal', 'Ann', 'Bo']],
    ['sort=longest_waiting', ['Bo', 'Ann']],
    ['stage=Paid', ['Cal']],
    ['source=Google', ['Bo']],
    ['waiting=true', ['Ann', 'Bo']],
    ['owner=none', ['Ann', 'Bo']],
    [`owner=${owner}&stage=New`, []],
  ])('of ?%s find and order as the server does', (query, wanted) => {
    expect(names(query)).toEqual(wanted)
  })

  it('take the quoted amount for the value, else what was collected', () => {
    expect([getLeadValue(ann), getLeadValue(bo), getLeadValue(cal)]).toEqual([100, undefined, 300])
  })
})
