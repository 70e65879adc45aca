// What counts as an amount.
import { expect, it } from 'vitest'
import { readMoney } from './read-money'

it.each([
  ['1250', 1250],
  [' $1,250.50 ', 1250.5],
  ['$ 12', 12],
  ['.5', 0.5],
  ['12.', 12],
  ['0', 0],
  ['1,250,000', 1_250_000],
])('%s is %d', (typed, dollars) => {
  expect(readMoney(typed)).toBe(dollars)
})

it.each(['', '.', '$', 'ten', '1,25', '1250,50', '1.234', '-5', '1e3', '12 50'])('“%s” is no amount', (typed) => {
  expect(readMoney(typed)).toBeUndefined()
})
