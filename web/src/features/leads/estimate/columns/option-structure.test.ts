import { describe, expect, it } from 'vitest'
import { emptyLine, emptyLineItems } from '@/features/documents/line-values'
import { formatMoney } from '@/lib/format/money'
import { formatDifference, getMoveTarget, groupByColumn, planAddedOption } from './option-structure'

const line = (name: string, optionId = '', lineId = '') => ({ ...emptyLine(''), name, optionId, lineId })

describe('added option', () => {
  it('first: the lines become Good, and Better starts as their copy', () => {
    const plan = planAddedOption({ ...emptyLineItems(''), lines: [line('Tank', '', '1')] })
    expect(plan.options.map(({ name }) => name)).toEqual(['Good', 'Better'])
    expect(plan.ownedBy).toBe('good')
    expect(plan.copies).toEqual([line('Tank', 'better')])
    expect(plan.recommended).toBe('better')
  })

  it('next: copies the last column, not what is in every option', () => {
    const first = { optionId: 'good', name: 'Good', description: '' }
    const plan = planAddedOption({
      lines: [line('Labor'), line('Tank', 'good'), line('Copper', 'better')],
      options: [first, { ...first, optionId: 'better', name: 'Better' }],
      hasOptions: true,
      recommended: 'better',
    })
    expect(plan.added.name).toBe('Best')
    expect(plan.ownedBy).toBeUndefined()
    expect(plan.copies).toEqual([line('Copper', 'best')])
  })

  it('after a removal down to one: that one keeps its name', () => {
    const plan = planAddedOption({
      lines: [line('Tank', 'plan-a')],
      options: [{ optionId: 'plan-a', name: 'Repair', description: '' }],
      hasOptions: false,
      recommended: 'gone',
    })
    expect(plan.options.map(({ name }) => name)).toEqual(['Repair', 'Good'])
    expect(plan.recommended).toBe('good')
  })

  it('presets all taken: gets a number', () => {
    const options = ['Good', 'Better', 'Best'].map((name) => ({
      optionId: name.toLowerCase(),
      name,
      description: '',
    }))
    const plan = planAddedOption({ lines: [], options, hasOptions: true, recommended: 'good' })
    expect(plan.added).toMatchObject({ optionId: 'option-4', name: 'Option 4' })
  })

  it('never comes to more lines than a paper may have', () => {
    const lines = Array.from({ length: 150 }, (_, at) => line(`Line ${at}`))
    expect(planAddedOption({ ...emptyLineItems(''), lines }).copies).toHaveLength(50)
  })
})

it('lines of no known column are in every option', () => {
  const { shared, byOption } = groupByColumn(
    [
      { id: 'a', at: 0, optionId: 'best' },
      { id: 'b', at: 1, optionId: '' },
      { id: 'c', at: 2, optionId: 'good' },
    ],
    ['good', 'best'],
  )
  expect(shared).toEqual([{ id: 'b', at: 1 }])
  expect(byOption.get('good')).toEqual([{ id: 'c', at: 2 }])
  expect(byOption.get('best')).toEqual([{ id: 'a', at: 0 }])
})

it.each([
  [0, 2, 4, 1],
  [3, 1, 4, 1],
  [1, undefined, 4, 3],
  [2, 2, 4, 2],
])('line %i put before %s of %i is at %i', (from, before, count, at) => {
  expect(getMoveTarget(from, before, count)).toBe(at)
})

it.each([
  [42_000, '+$420'],
  [-5050, '−$50.50'],
  [0, undefined],
])('a difference of %i cents reads %s', (cents, words) => {
  expect(formatDifference(cents, formatMoney)).toBe(words)
})
