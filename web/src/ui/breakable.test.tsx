// Where a long address may break: after its marks, never by adding or losing a letter.
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { addressParts, Breakable } from './breakable'

it.each([
  ['ana.diaz+roof@home.example', ['ana.', 'diaz+', 'roof@', 'home.', 'example']],
  ['https://home.example/a?b=c&d_e#f', ['https://', 'home.', 'example/', 'a?', 'b=', 'c&', 'd_', 'e#', 'f']],
  ['@home', ['@', 'home']],
  ['plain', ['plain']],
  ['', []],
])('cuts %s after its marks', (address, parts) => {
  expect(addressParts(address).map(({ text }) => text)).toEqual(parts)
  expect(parts.join('')).toBe(address)
})

it('shows the address whole, with a place to break between its parts', () => {
  render(<Breakable>ana@home.example</Breakable>)
  const shown = screen.getByText('ana@home.example')
  expect(shown.querySelectorAll('wbr')).toHaveLength(2)
})
