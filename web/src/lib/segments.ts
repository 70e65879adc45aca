// SMS segment count: GSM 03.38 (3GPP TS 23.038), else UTF-16. Same rules and test table as the server
// (`platform/src/sms_segments.rs`).

/** Basic table, 3GPP TS 23.038 section 6.2.1, without the escape. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Extension table, section 6.2.1.1: two septets each. */
const EXTENSION = new Set('\f^{}\\[~]|€')

export type Encoding = 'GSM-7' | 'UCS-2'

export type Segments = {
  encoding: Encoding
  /** Septets in GSM-7, UTF-16 units in UCS-2. */
  units: number
  segments: number
  /** Capacity of one segment at this length. */
  perSegment: number
  /** Units left in the last segment. */
  left: number
}

/** Zero outside GSM-7. */
function septets(character: string): number {
  if (BASIC.has(character)) return 1
  return EXTENSION.has(character) ? 2 : 0
}

/** Two-unit characters are not split, so a segment may end one unit early. */
function splitSegments(encoding: Encoding, sizes: number[], alone: number, joined: number): Segments {
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

export function countSegments(text: string): Segments {
  const characters = Array.from(text)
  const sizes = characters.map(septets)
  if (!sizes.includes(0)) return splitSegments('GSM-7', sizes, 160, 153)
  return splitSegments(
    'UCS-2',
    characters.map((character) => character.length),
    70,
    67,
  )
}
