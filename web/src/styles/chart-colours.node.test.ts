// Chart colours under colour blindness (Machado, Oliveira and Fernandes 2009, severity 1): neighbours differ, and
// each differs from its background.
import { describe, expect, it } from 'vitest'
import { getContrastRatio, toLinearRgb, type Rgb, parseHexColour, readThemeTokens } from './theme-tokens.node'

type Matrix = readonly [Rgb, Rgb, Rgb]

const EYES = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Record<string, Matrix>

/** Neighbours in one chart. */
const NEIGHBOURS = [
  ['primary', 'chart-2'], // revenue and profit
  ['primary', 'chart-rest'], // a part and what is left of its whole
  ['chart-1', 'chart-2'],
  ['chart-2', 'chart-3'],
  ['chart-1', 'chart-3'], // what saved the time, how long an invoice is past due
] as const

/** About 2 is the threshold of a trained eye. */
const APART = 15
const GRAPHIC = 3

const times = (matrix: Matrix, [x, y, z]: Rgb): Rgb => {
  const row = ([a, b, c]: Rgb) => a * x + b * y + c * z
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])]
}

const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
]
const WHITE: Rgb = [0.95047, 1, 1.08883]

function lab(colour: Rgb, eye: Matrix): Rgb {
  const [red, green, blue] = times(eye, toLinearRgb(colour))
  const shown = (value: number) => Math.min(1, Math.max(0, value))
  const [x, y, z] = times(TO_XYZ, [shown(red), shown(green), shown(blue)])
  const curve = (value: number, white: number) =>
    value / white > 216 / 24_389 ? Math.cbrt(value / white) : ((24_389 / 27) * (value / white) + 16) / 116
  const [fx, fy, fz] = [curve(x, WHITE[0]), curve(y, WHITE[1]), curve(z, WHITE[2])]
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

const radians = (degrees: number) => (degrees * Math.PI) / 180
const cosOf = (degrees: number) => Math.cos(radians(degrees))
const angle = (b: number, a: number) => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360

/** CIEDE2000. */
function apart([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const greyness = (chroma: number) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))
  const more = 1 + 0.5 * (1 - greyness((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2))
  const [c1, c2, h1, h2] = [
    Math.hypot(a1 * more, b1),
    Math.hypot(a2 * more, b2),
    angle(b1, a1 * more),
    angle(b2, a2 * more),
  ]
  const turn = Math.abs(h2 - h1) > 180 ? h2 - h1 - 360 * Math.sign(h2 - h1) : h2 - h1
  const [light, chroma, hue] = [(l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2 + 360) % 360]
  const t = 1 - 0.17 * cosOf(hue - 30) + 0.24 * cosOf(2 * hue) + 0.32 * cosOf(3 * hue + 6) - 0.2 * cosOf(4 * hue - 63)
  const dl = (l2 - l1) / (1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2))
  const dc = (c2 - c1) / (1 + 0.045 * chroma)
  const dh = (2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2))) / (1 + 0.015 * chroma * t)
  const rotation = -2 * greyness(chroma) * Math.sin(radians(60 * Math.exp(-(((hue - 275) / 25) ** 2))))
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh)
}

it('colour distance: matches the published example', () => {
  // The first pair of Sharma, Wu and Dalal 2005.
  expect(apart([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4)
})

describe.each(['toolbox', 'toolbox-day'])('theme %s', (theme) => {
  const token = readThemeTokens(theme)
  const colour = (name: string) => parseHexColour(token(`color-${name}`))

  describe.each(Object.entries(EYES))('%s eyes', (_name, eye) => {
    it.each(NEIGHBOURS)('tell %s from %s', (one, other) =>
      expect(apart(lab(colour(one), eye), lab(colour(other), eye))).toBeGreaterThanOrEqual(APART),
    )
  })

  it.each(['primary', 'chart-1', 'chart-2', 'chart-3', 'chart-rest'])('%s stands out from a panel', (name) => {
    expect(getContrastRatio(colour(name), colour('base-100'))).toBeGreaterThanOrEqual(GRAPHIC)
  })
})
