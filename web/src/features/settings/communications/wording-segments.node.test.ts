import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  applyChipEdit,
  CHIP_END,
  CHIP_START,
  type ChipNames,
  fromChipText,
  parseWording,
  type Segment,
  serializeWording,
  toChipText,
} from './wording-segments'

const FOLDER = join(import.meta.dirname, '../../../../../documents/src/template')
const corpus = ['en', 'es'].flatMap((language) =>
  readdirSync(join(FOLDER, language))
    .filter((name) => name.endsWith('.txt'))
    .map((name) => [`${language}/${name}`, readFileSync(join(FOLDER, language, name), 'utf8')] as const),
)
const names: ChipNames = {
  variable: ({ name, fallback }) => (fallback === undefined ? name : `${name}, or ${fallback}`),
  condition: ({ test }, at) => `${at} only if ${test}`,
}

/** Through the text field and back, at every depth. */
function throughChips(segments: readonly Segment[]): Segment[] {
  const nested = segments.map((segment): Segment =>
    segment.kind === 'condition'
      ? {
          ...segment,
          body: throughChips(segment.body),
          otherwise: segment.otherwise && throughChips(segment.otherwise),
        }
      : segment,
  )
  const { text, known } = toChipText(nested, names)
  return fromChipText(text, (name) => known.get(name))
}

describe('default wordings of both languages', () => {
  it('are all read', () => expect(corpus.length).toBeGreaterThan(60))

  it.each(corpus)('%s: chips and back loses nothing', (_name, raw) => {
    const segments = parseWording(raw)
    expect(segments).toBeDefined()
    expect(serializeWording(throughChips(segments ?? []))).toBe(raw)
    expect(toChipText(segments ?? [], names).text).not.toMatch(/[{}]/)
  })
})

/** A small generator with a seed, so that a failure can be repeated. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

function randomWording(next: (below: number) => number, depth = 0): string {
  const parts = Array.from({ length: next(6) }, () => {
    switch (next(depth < 3 ? 6 : 4)) {
      case 0:
        return '{{ businessName }}'
      case 1:
        return '{{ customerName or "there" }}'
      case 2:
        return ' Hi, we’re on our way.\n'
      case 3:
        return 'a { b } 5% # é '
      case 4:
        return `{% if amount %}${randomWording(next, depth + 1)}{% endif %}`
      default:
        return `{% if leadCount == "1" %}${randomWording(next, depth + 1)}{% else %}${randomWording(next, depth + 1)}{% endif %}`
    }
  })
  return parts.join('')
}

it('500 random wordings: chips and back loses nothing', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const raw = randomWording(randomFrom(seed))
    const segments = parseWording(raw)
    expect(segments, `seed ${seed}: ${raw}`).toBeDefined()
    expect(serializeWording(throughChips(segments ?? [])), `seed ${seed}`).toBe(raw)
  }
})

it.each([
  '{{ amount | upper }}',
  '{{customerName}}',
  '{% if a %}open',
  'closed{% endif %}',
  '{% if a %}1{% elif b %}2{% endif %}',
  '{% for a in b %}{% endfor %}',
  `${CHIP_START}x${CHIP_END}`,
])('%s: only as text', (raw) => expect(parseWording(raw)).toBeUndefined())

describe('edit of a text with chips', () => {
  const chip = `${CHIP_START}Amount${CHIP_END}`
  it.each([
    ['text before a chip', `a${chip}b`, `axy${chip}b`, `axy${chip}b`],
    ['text right after a chip', chip, `${chip}!`, `${chip}!`],
    ['backspace at a chip', `a${chip}b`, `a${chip.slice(0, -1)}b`, 'ab'],
    ['a letter within a chip', `a${chip}b`, `a${CHIP_START}Amxount${CHIP_END}b`, 'axb'],
    ['a selection over half a chip', `a${chip}b`, `aount${CHIP_END}b`, 'ab'],
  ])('%s', (_what, before, after, expected) => expect(applyChipEdit(before, after).text).toBe(expected))
})
