// Contrast of all text and background pairs in both themes, read from theme.css.
import { describe, expect, it } from 'vitest'
import { getContrastRatio, type Rgb, parseHexColour, readThemeTokens } from './theme-tokens.node'

const TEXT = 4.5
const GRAPHIC = 3
const INKS = [
  'base-content',
  'muted',
  'faint',
  'primary',
  'secondary',
  'accent',
  'info',
  'success',
  'warning',
  'error',
] as const
const NEONS = ['primary', 'secondary', 'accent', 'info', 'success', 'warning', 'error'] as const
/** Tint of a badge or notice. */
const TINT = 0.08

function mix(top: Rgb, share: number, ground: Rgb): Rgb {
  const channel = (index: 0 | 1 | 2) => top[index] * share + ground[index] * (1 - share)
  return [channel(0), channel(1), channel(2)]
}

describe.each(['toolbox', 'toolbox-day'])('theme %s', (theme) => {
  const token = readThemeTokens(theme)
  const colour = (name: string) => parseHexColour(token(`color-${name}`))
  const share = (name: string) => Number.parseFloat(token(name)) / 100
  const pool = (name: string, strength: string) => mix(colour(name), share(strength), colour('page'))
  // Background gradients, each at full strength.
  const pools = {
    'cyan pool': pool('primary', 'pool-cyan'),
    'purple pool': pool('accent', 'pool-purple'),
    'pink pool': pool('secondary', 'pool-pink'),
  }
  const underGlass = theme === 'toolbox' ? pools['cyan pool'] : colour('page')
  const glass = theme === 'toolbox' ? mix(colour('base-300'), share('glass'), underGlass) : colour('base-100')
  const grounds = {
    page: colour('page'),
    'base-100': colour('base-100'),
    'base-200': colour('base-200'),
    ...pools,
    glass,
  }

  describe.each(Object.entries(grounds))('on %s', (_name, ground) => {
    it.each(INKS)('%s is readable', (ink) => expect(getContrastRatio(colour(ink), ground)).toBeGreaterThanOrEqual(TEXT))
    it('field outline is visible', () => {
      expect(getContrastRatio(mix(colour('primary'), share('field-border'), ground), ground)).toBeGreaterThanOrEqual(
        GRAPHIC,
      )
    })
    it('focus ring and its gap differ', () => {
      expect(getContrastRatio(colour('primary'), ground)).toBeGreaterThanOrEqual(GRAPHIC)
      expect(getContrastRatio(colour('primary'), colour('page'))).toBeGreaterThanOrEqual(GRAPHIC)
    })
  })

  it.each(NEONS)('text on a %s fill is readable', (fill) => {
    expect(getContrastRatio(colour(`${fill}-content`), colour(fill))).toBeGreaterThanOrEqual(TEXT)
  })

  it.each(NEONS)('badge text %s is readable on its tint', (tone) => {
    expect(getContrastRatio(colour(tone), mix(colour(tone), TINT, glass))).toBeGreaterThanOrEqual(TEXT)
    expect(getContrastRatio(colour('base-content'), mix(colour(tone), TINT, glass))).toBeGreaterThanOrEqual(TEXT)
  })

  it('banner link is readable on its tint', () => {
    const banner = mix(colour('accent'), TINT, colour('page'))
    expect(getContrastRatio(colour('primary'), banner)).toBeGreaterThanOrEqual(TEXT)
    expect(getContrastRatio(colour('base-content'), banner)).toBeGreaterThanOrEqual(TEXT)
  })

  it('input and placeholder text is readable', () => {
    const field = theme === 'toolbox' ? mix(colour('base-200'), 0.8, glass) : colour('base-100')
    expect(getContrastRatio(colour('base-content'), field)).toBeGreaterThanOrEqual(TEXT)
    expect(getContrastRatio(colour('faint'), field)).toBeGreaterThanOrEqual(TEXT)
  })
})
