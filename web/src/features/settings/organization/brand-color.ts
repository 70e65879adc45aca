// Colors of a business in both themes, for the preview. Computed as in documents/src/brand_color.rs; both are tested
// with the examples beside it.

type Channels = readonly [number, number, number]

export type BrandTheme = { fill: string; onFill: string; ink: string }
export type BrandPalette = { light: BrandTheme; dark: BrandTheme }

/** Contrast ratio of text, WCAG 2.2 success criterion 1.4.3. */
const READABLE = 4.5
const WHITE: Channels = [255, 255, 255]
const BLACK: Channels = [0, 0, 0]
/** Darkest surface of the light theme, and lightest of the dark theme. */
const LIGHT_SURFACE: Channels = [0xe3, 0xe9, 0xf2]
const DARK_SURFACE: Channels = [0x1a, 0x25, 0x40]

function parseColor(hex: string): Channels | undefined {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(hex) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

const toHex = (color: Channels) => `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`

function toLinear(channel: number): number {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

const getLuminance = ([red, green, blue]: Channels) =>
  0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue)

function getContrast(one: Channels, other: Channels): number {
  const [a, b] = [getLuminance(one), getLuminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function mix(color: Channels, toward: Channels, percent: number): Channels {
  const channel = (from: number, to: number) => Math.floor((from * (100 - percent) + to * percent + 50) / 100)
  return [channel(color[0], toward[0]), channel(color[1], toward[1]), channel(color[2], toward[2])]
}

/** The nearest shade on the way to `toward` that is readable on the surface. */
function makeReadable(color: Channels, surface: Channels, toward: Channels): Channels {
  for (let percent = 0; percent <= 100; percent += 1) {
    const shade = mix(color, toward, percent)
    if (getContrast(shade, surface) >= READABLE) return shade
  }
  return toward
}

/** Undefined unless it is `#` and six hex digits. */
export function getBrandPalette(hex: string): BrandPalette | undefined {
  const color = parseColor(hex)
  if (!color) return undefined
  const onFill = toHex(getContrast(color, WHITE) >= READABLE ? WHITE : BLACK)
  const getTheme = (surface: Channels, toward: Channels): BrandTheme => ({
    fill: toHex(color),
    onFill,
    ink: toHex(makeReadable(color, surface, toward)),
  })
  return { light: getTheme(LIGHT_SURFACE, BLACK), dark: getTheme(DARK_SURFACE, WHITE) }
}
