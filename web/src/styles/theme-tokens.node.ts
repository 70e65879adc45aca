// Theme colours from theme.css, and colour math.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8')

export type Rgb = readonly [number, number, number]

function readThemeBlocks(theme: string): string {
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
    .filter(
      ([, selector = '', body = '']) =>
        body.includes(`name: '${theme}';`) || selector.includes(`[data-theme='${theme}']`),
    )
    .map(([, , body]) => body)
    .join('\n')
}

/** Throws for an unknown token. */
export function readThemeTokens(theme: string): (name: string) => string {
  const found = new Map(
    [...readThemeBlocks(theme).matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [
      name,
      value.trim(),
    ]),
  )
  return (name) => {
    const value = found.get(name)
    if (!value) throw new Error(`${theme} has no --${name}`)
    return value
  }
}

export function parseHexColour(hex: string): Rgb {
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(hex) ?? []
  if (!blue) throw new Error(`${hex} is not a colour of six digits`)
  return [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)]
}

const toLinearChannel = (value: number) =>
  value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4

/** 0 to 1 per channel. */
export function toLinearRgb([red, green, blue]: Rgb): Rgb {
  return [toLinearChannel(red), toLinearChannel(green), toLinearChannel(blue)]
}

function getLuminance(colour: Rgb): number {
  const [red, green, blue] = toLinearRgb(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG, 1 to 21. */
export function getContrastRatio(one: Rgb, other: Rgb): number {
  const [light, dark] = [getLuminance(one), getLuminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}
