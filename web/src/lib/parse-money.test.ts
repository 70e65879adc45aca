import { expect, it } from 'vitest'
import { parseMoney } from './parse-money'

it.each([
  ['1250', 1250],
  [' $1,250.50 ', 1250.5],
  ['$ 12', 12],
  ['.5', 0.5],
  ['12.', 12],
  ['0', 0],
  ['1,250,000', 1_250_000],
])('%s is %d', (typed, dollars) => {
  expect(parseMoney(typed)).toBe(dollars)
})

it.each(['', '.', '$', 'ten', '1,25', '1250,50', '1.234', '-5', '1e3', '12 50'])('“%s” is refused', (typed) => {
  expect(parseMoney(typed)).toBeUndefined()
})
