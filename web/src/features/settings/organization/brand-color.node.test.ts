// The examples that the server's colors are tested with too.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { getContrastRatio, parseHexColour } from '@/styles/theme-tokens.node'
import { getBrandPalette } from './brand-color'
import { BRAND_COLORS } from './look-schema'

type Example = { color: string; onFill: string; lightInk: string; darkInk: string }

const FILE = join(import.meta.dirname, '../../../../../documents/src/brand_color/examples.json')
const EXAMPLES = JSON.parse(readFileSync(FILE, 'utf8')) as Example[]

it.each(EXAMPLES)('palette equals the shared example: $color', ({ color, onFill, lightInk, darkInk }) => {
  expect(getBrandPalette(color)).toEqual({
    light: { fill: color, onFill, ink: lightInk },
    dark: { fill: color, onFill, ink: darkInk },
  })
})

it.each(BRAND_COLORS)('offered color $label is readable in both themes as it is', ({ value }) => {
  const palette = getBrandPalette(value)
  expect(palette?.light.onFill).toBe('#ffffff')
  expect(getContrastRatio(parseHexColour('#ffffff'), parseHexColour(value))).toBeGreaterThanOrEqual(4.5)
})

it.each(['', '#00616', 'red', '#00616g'])('%j is no color', (text) => expect(getBrandPalette(text)).toBeUndefined())
