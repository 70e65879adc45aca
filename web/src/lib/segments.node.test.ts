import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countSegments, type Encoding } from './segments'

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

type Vector = {
  text: [piece: string, times: number][]
  encoding: Encoding
  units: number
  segments: number
  perSegment: number
  left: number
}

const table = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../platform/src/sms_segments/vectors.json'), 'utf8'),
) as Vector[]

it('covers the whole table', () => {
  expect(table.length).toBeGreaterThanOrEqual(30)
})

it.each(table)('$text is $encoding, $units units in $segments', ({ text: pieces, ...expected }) => {
  const text = pieces.map(([piece, times]) => piece.repeat(times)).join('')
  expect(countSegments(text)).toEqual(expected)
})

it.each(Array.from(BASIC))('%j is one septet', (character) => {
  expect(countSegments(character)).toMatchObject({ encoding: 'GSM-7', units: 1 })
})

it.each(Array.from('\f^{}\\[~]|€'))('%j is an escape and one more', (character) => {
  expect(countSegments(character)).toMatchObject({ encoding: 'GSM-7', units: 2 })
})
