// How many segments a text costs: GSM 03.38 (3GPP TS 23.038) where every character has a place in it, else UTF-16.
// The server counts the same way (`shared/src/platform/sms_segments.rs`); the tests of both read one table.

/** The basic table of 3GPP TS 23.038, section 6.2.1, without the escape. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Its extension, section 6.2.1.1: an escape septet and one more. */
const EXTENSION = new Set('\f^{}\\[~]|€')

export type Encoding = 'GSM-7' | 'UCS-2'

export type Segments = {
  encoding: Encoding
  /** Septets in GSM-7, UTF-16 units in UCS-2. */
  units: number
  /** None for an empty text. */
  segments: number
  /** What one segment holds at this length. */
  perSegment: number
  /** Units that still fit before another segment is needed. */
  left: number
}

/** Zero for a character that GSM-7 has no place for. */
function septets(character: string): number {
  if (BASIC.has(character)) return 1
  return EXTENSION.has(character) ? 2 : 0
}

/** Sizes of characters become segments; what counts two is never parted, so a segment may end one unit early. */
function cut(encoding: Encoding, sizes: number[], alone: number, joined: number): Segments {
  const units = sizes.reduce((sum, size) => sum + size, 0)
  if (units <= alone) {
    return { encoding, units, segments: units > 0 ? 1 : 0, perSegment: alone, left: alone - units }
  }
  let segments = 1
  let used = 0
  for (const size of sizes) {
    if (used + size > joined) {
      segments += 1
      used = 0
    }
    used += size
  }
  return { encoding, units, segments, perSegment: joined, left: joined - used }
}

/** Counts the segments of `text` as the carrier cuts it. */
export function countSegments(text: string): Segments {
  const characters = Array.from(text)
  const sizes = characters.map(septets)
  if (!sizes.includes(0)) return cut('GSM-7', sizes, 160, 153)
  return cut(
    'UCS-2',
    characters.map((character) => character.length),
    70,
    67,
  )
}
