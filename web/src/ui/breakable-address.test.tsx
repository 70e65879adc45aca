// Where a long address may break: after its marks, never by adding or losing a letter.
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { splitAddress, BreakableAddress } from './breakable-address'

it.each([
  ['ana.diaz+roof@home.example', ['ana.', 'diaz+', 'roof@', 'home.', 'example']],
  ['https://home.example/a?b=c&d_e#f', ['https://', 'home.', 'example/', 'a?', 'b=', 'c&', 'd_', 'e#', 'f']],
  ['@home', ['@', 'home']],
  ['plain', ['plain']],
  ['', []],
])('splits %s after its separators', (address, parts) => {
  expect(splitAddress(address).map(({ text }) => text)).toEqual(parts)
  expect(parts.join('')).toBe(address)
})

it('shows the whole address with break opportunities', () => {
  render(<BreakableAddress>ana@home.example</BreakableAddress>)
  const shown = screen.getByText('ana@home.example')
  expect(shown.querySelectorAll('wbr')).toHaveLength(2)
})
