// The colours of both themes as the stylesheet names them, read from theme.css itself, and how far two of them stand apart.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8')

export type Rgb = readonly [number, number, number]

function blocksOf(theme: string): string {
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
    .filter(
      ([, selector = '', body = '']) =>
        body.includes(`name: '${theme}';`) || selector.includes(`[data-theme='${theme}']`),
    )
    .map(([, , body]) => body)
    .join('\n')
}

/** What a theme says for each name; an unknown one is an error. */
export function tokensOf(theme: string): (name: string) => string {
  const found = new Map(
    [...blocksOf(theme).matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value.trim()]),
  )
  return (name) => {
    const value = found.get(name)
    if (!value) throw new Error(`${theme} has no --${name}`)
    return value
  }
}

export function rgb(hex: string): Rgb {
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(hex) ?? []
  if (!blue) throw new Error(`${hex} is not a colour of six digits`)
  return [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)]
}

const lightOf = (value: number) =>
  value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4

/** As light, 0 to 1 each. */
export function linear([red, green, blue]: Rgb): Rgb {
  return [lightOf(red), lightOf(green), lightOf(blue)]
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = linear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** By WCAG, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}
