// Every pair of ink and ground that the app uses, in both themes, read from theme.css itself.
import { describe, expect, it } from 'vitest'
import { contrast, type Rgb, rgb, tokensOf } from './theme-tokens.node'

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
/** Of a badge or a notice over a panel. */
const TINT = 0.08

function mix(top: Rgb, share: number, ground: Rgb): Rgb {
  const channel = (index: 0 | 1 | 2) => top[index] * share + ground[index] * (1 - share)
  return [channel(0), channel(1), channel(2)]
}

describe.each(['toolbox', 'toolbox-day'])('the theme %s', (theme) => {
  const token = tokensOf(theme)
  const colour = (name: string) => rgb(token(`color-${name}`))
  const share = (name: string) => Number.parseFloat(token(name)) / 100
  const pool = (name: string, strength: string) => mix(colour(name), share(strength), colour('page'))
  // The pools stand in three corners: full strength is met one at a time.
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
    it.each(INKS)('%s can be read', (ink) => expect(contrast(colour(ink), ground)).toBeGreaterThanOrEqual(TEXT))
    it('a field’s outline can be seen', () => {
      expect(contrast(mix(colour('primary'), share('field-border'), ground), ground)).toBeGreaterThanOrEqual(GRAPHIC)
    })
    it('the focus ring and its gap can be told apart', () => {
      expect(contrast(colour('primary'), ground)).toBeGreaterThanOrEqual(GRAPHIC)
      expect(contrast(colour('primary'), colour('page'))).toBeGreaterThanOrEqual(GRAPHIC)
    })
  })

  it.each(NEONS)('words on a %s fill can be read', (fill) => {
    expect(contrast(colour(`${fill}-content`), colour(fill))).toBeGreaterThanOrEqual(TEXT)
  })

  it.each(NEONS)('a badge’s %s word can be read on its own tint', (tone) => {
    expect(contrast(colour(tone), mix(colour(tone), TINT, glass))).toBeGreaterThanOrEqual(TEXT)
    expect(contrast(colour('base-content'), mix(colour(tone), TINT, glass))).toBeGreaterThanOrEqual(TEXT)
  })

  it('the link in the demonstration’s banner can be read on its tint', () => {
    const banner = mix(colour('accent'), TINT, colour('page'))
    expect(contrast(colour('primary'), banner)).toBeGreaterThanOrEqual(TEXT)
    expect(contrast(colour('base-content'), banner)).toBeGreaterThanOrEqual(TEXT)
  })

  it('what is typed, and what hints at it, can be read in a field', () => {
    const field = theme === 'toolbox' ? mix(colour('base-200'), 0.8, glass) : colour('base-100')
    expect(contrast(colour('base-content'), field)).toBeGreaterThanOrEqual(TEXT)
    expect(contrast(colour('faint'), field)).toBeGreaterThanOrEqual(TEXT)
  })
})
