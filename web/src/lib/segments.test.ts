// The table that `shared/src/segments/tests.rs` holds too: the composer and the bill must agree.
import { expect, it } from 'vitest'
import { countSegments, type Encoding } from './segments'

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

const a = (times: number) => 'a'.repeat(times)

const rows: [text: string, encoding: Encoding, units: number, segments: number, perSegment: number, left: number][] = [
  ['', 'GSM-7', 0, 0, 160, 160],
  ['a', 'GSM-7', 1, 1, 160, 159],
  [a(160), 'GSM-7', 160, 1, 160, 0],
  [a(161), 'GSM-7', 161, 2, 153, 145],
  [a(306), 'GSM-7', 306, 2, 153, 0],
  [a(307), 'GSM-7', 307, 3, 153, 152],
  [a(459), 'GSM-7', 459, 3, 153, 0],
  ['€'.repeat(80), 'GSM-7', 160, 1, 160, 0],
  // 76 pairs fill 152 of 153: the pair that would be parted opens the next segment.
  ['€'.repeat(81), 'GSM-7', 162, 2, 153, 143],
  [`${a(152)}€${a(10)}`, 'GSM-7', 164, 2, 153, 141],
  [`${a(151)}€${a(153)}`, 'GSM-7', 306, 2, 153, 0],
  // One unit lost to the pair makes the text need a third.
  [`${a(152)}€${a(152)}`, 'GSM-7', 306, 3, 153, 152],
  ['ж', 'UCS-2', 1, 1, 70, 69],
  ['ж'.repeat(70), 'UCS-2', 70, 1, 70, 0],
  ['ж'.repeat(71), 'UCS-2', 71, 2, 67, 63],
  ['ж'.repeat(134), 'UCS-2', 134, 2, 67, 0],
  ['ж'.repeat(135), 'UCS-2', 135, 3, 67, 66],
  ['👍', 'UCS-2', 2, 1, 70, 68],
  ['👍'.repeat(35), 'UCS-2', 70, 1, 70, 0],
  ['👍'.repeat(36), 'UCS-2', 72, 2, 67, 61],
  ['👨‍👩‍👧‍👦', 'UCS-2', 11, 1, 70, 59],
  // In UCS-2 the extension characters count one.
  ['€{}ж', 'UCS-2', 4, 1, 70, 66],
  ['Hi, it’s us', 'UCS-2', 11, 1, 70, 59],
  ['ç', 'UCS-2', 1, 1, 70, 69],
  ['Ç', 'GSM-7', 1, 1, 160, 159],
  ['ñ¿¡Ñüé', 'GSM-7', 6, 1, 160, 154],
  ['á', 'UCS-2', 1, 1, 70, 69],
  ['`', 'UCS-2', 1, 1, 70, 69],
  ['a\tb', 'UCS-2', 3, 1, 70, 67],
  ['a\r\nb', 'GSM-7', 4, 1, 160, 156],
]

it.each(rows)('%j is %s, %d units in %d', (text, encoding, units, segments, perSegment, left) => {
  expect(countSegments(text)).toEqual({ encoding, units, segments, perSegment, left })
})

it.each(Array.from(BASIC))('%j is one septet', (character) => {
  expect(countSegments(character)).toMatchObject({ encoding: 'GSM-7', units: 1 })
})

it.each(Array.from('\f^{}\\[~]|€'))('%j is an escape and one more', (character) => {
  expect(countSegments(character)).toMatchObject({ encoding: 'GSM-7', units: 2 })
})
