// What is typed as lines, as the server gets it, and back.
import { describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import {
  emptyLine,
  emptyPaper,
  readPart,
  readTax,
  reckonableLine,
  taxKey,
  toPaper,
  toPart,
  typedPaper,
} from './read-lines'

const paper: Schema['Paper'] = {
  lines: [
    {
      id: '1',
      name: 'Shingles',
      description: 'Slate',
      quantity: 1.5,
      unit: 'hour',
      unitPrice: 99.95,
      discount: { percent: 10 },
      taxRate: 8.25,
      taxName: 'Sales tax',
      optional: false,
      optionId: 'good',
      priceItemId: null,
    },
    { id: '7', name: 'Haul away', quantity: 1, unit: 'each', unitPrice: 40, optional: true },
  ],
  options: [
    { id: 'good', name: 'Good' },
    { id: 'best', name: 'Best', description: 'Copper' },
  ],
  recommended: 'best',
  discount: { amount: 25 },
  notes: null,
  terms: null,
}

describe('a paper', () => {
  it('comes back from its form as it was', () => {
    expect(toPaper(typedPaper(paper))).toEqual({
      lines: [
        {
          id: '1',
          name: 'Shingles',
          description: 'Slate',
          quantity: 1.5,
          unit: 'hour',
          unitPrice: 99.95,
          discount: { percent: 10 },
          taxRate: 8.25,
          taxName: 'Sales tax',
          optional: false,
          optionId: 'good',
        },
        { id: '7', name: 'Haul away', quantity: 1, unitPrice: 40, optional: true },
      ],
      options: [
        { id: 'good', name: 'Good' },
        { id: 'best', name: 'Best', description: 'Copper' },
      ],
      recommended: 'best',
      discount: { amount: 25 },
    })
  })

  it('that takes something off says so without a minus, which the keys of many phones lack', () => {
    const [line] = typedPaper({
      ...paper,
      lines: [{ id: '1', name: 'No paint', quantity: 1, unit: 'each', unitPrice: -120 }],
    }).lines
    expect(line).toMatchObject({ unitPrice: '120.00', isCredit: true })
    expect(
      toPaper({ ...emptyPaper(''), lines: [{ ...emptyLine(''), name: 'No paint', unitPrice: '120', isCredit: true }] })
        .lines[0],
    ).toMatchObject({ unitPrice: -120 })
    // Typed with its minus it is the same.
    for (const isCredit of [true, false])
      expect(reckonableLine({ ...emptyLine(''), unitPrice: '-120', isCredit }, false).unitCents).toBe(-12_000n)
  })

  it('says nothing of options that are not offered', () => {
    const values = { ...typedPaper(paper), hasOptions: false }
    const sent = toPaper(values)
    expect(sent).not.toHaveProperty('options')
    expect(sent.lines[0]).not.toHaveProperty('optionId')
  })

  it('gives a new line an id that no other has, once the others have theirs', () => {
    const values = typedPaper(paper)
    const more = {
      ...values,
      lines: [...values.lines, { ...emptyLine(''), name: 'A' }, { ...emptyLine(''), name: 'B' }],
    }
    expect(toPaper(more).lines.map((line) => ('id' in line ? line.id : undefined))).toEqual(['1', '7', '2', '3'])
    expect(toPaper(emptyPaper('')).lines[0]).not.toHaveProperty('id')
  })
})

it('a tax is known by its rate and its name', () => {
  expect(readTax(taxKey({ name: 'Cook County sales', rate: 10.25 }))).toEqual({
    name: 'Cook County sales',
    rate: 10.25,
  })
  expect(readTax('')).toBeUndefined()
})

it.each([
  ['percent', '0'],
  ['percent', '101'],
  ['percent', 'ten'],
  ['amount', '-5'],
  ['amount', '1.234'],
  ['amount', ''],
] as const)('%s of “%s” is no part', (kind, typed) => {
  expect(readPart(kind, typed)).toBeUndefined()
  expect(toPart(kind, typed)).toBeNull()
})
