import { describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import {
  emptyLine,
  emptyLineItems,
  parsePercentOrAmount,
  parseTaxKey,
  toScaledLine,
  toTaxKey,
  toLineItemsRequest,
  toPercentOrAmountRequest,
  toLineItemsValues,
} from './line-values'

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

describe('line items form', () => {
  it('round-trips a document', () => {
    expect(toLineItemsRequest(toLineItemsValues(paper))).toEqual({
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

  it('shows a credit without a minus sign', () => {
    const [line] = toLineItemsValues({
      ...paper,
      lines: [{ id: '1', name: 'No paint', quantity: 1, unit: 'each', unitPrice: -120 }],
    }).lines
    expect(line).toMatchObject({ unitPrice: '120.00', isCredit: true })
    expect(
      toLineItemsRequest({
        ...emptyLineItems(''),
        lines: [{ ...emptyLine(''), name: 'No paint', unitPrice: '120', isCredit: true }],
      }).lines[0],
    ).toMatchObject({ unitPrice: -120 })
    // Typed with its minus it is the same.
    for (const isCredit of [true, false])
      expect(toScaledLine({ ...emptyLine(''), unitPrice: '-120', isCredit }, false).unitCents).toBe(-12_000n)
  })

  it('omits options that are not offered', () => {
    const values = { ...toLineItemsValues(paper), hasOptions: false }
    const sent = toLineItemsRequest(values)
    expect(sent).not.toHaveProperty('options')
    expect(sent.lines[0]).not.toHaveProperty('optionId')
  })

  it('gives a new line a unique id', () => {
    const values = toLineItemsValues(paper)
    const more = {
      ...values,
      lines: [...values.lines, { ...emptyLine(''), name: 'A' }, { ...emptyLine(''), name: 'B' }],
    }
    expect(toLineItemsRequest(more).lines.map((line) => ('id' in line ? line.id : undefined))).toEqual([
      '1',
      '7',
      '2',
      '3',
    ])
    expect(toLineItemsRequest(emptyLineItems('')).lines[0]).not.toHaveProperty('id')
  })
})

it('tax key: contains rate and name', () => {
  expect(parseTaxKey(toTaxKey({ name: 'Cook County sales', rate: 10.25 }))).toEqual({
    name: 'Cook County sales',
    rate: 10.25,
  })
  expect(parseTaxKey('')).toBeUndefined()
})

it.each([
  ['percent', '0'],
  ['percent', '101'],
  ['percent', 'ten'],
  ['amount', '-5'],
  ['amount', '1.234'],
  ['amount', ''],
] as const)('%s of “%s”: not a valid part', (kind, typed) => {
  expect(parsePercentOrAmount(kind, typed)).toBeUndefined()
  expect(toPercentOrAmountRequest(kind, typed)).toBeNull()
})
