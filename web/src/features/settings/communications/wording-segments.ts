// A wording as segments: text, chips and conditions. Its raw form comes back unchanged.

export type Variable = { kind: 'variable'; name: string; fallback: string | undefined }
export type Condition = {
  kind: 'condition'
  /** `amount`, or a comparison. */
  test: string
  body: readonly Segment[]
  otherwise: readonly Segment[] | undefined
}
export type Segment = { kind: 'text'; text: string } | Variable | Condition

/** Around the name of a chip in a text field. Both are invisible, and keep a name of another script apart. */
export const CHIP_START = '\u2068'
export const CHIP_END = '\u2069'

const TAG = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#/g
const VARIABLE = /^\{\{ (\w+)(?: or "([^"]*)")? \}\}$/
const IF = /^\{% if (\w+(?: == "[^"]*")?) %\}$/
const MAX_DEPTH = 8

type Level = { test: string; body: Segment[]; otherwise: Segment[] | undefined }

const plain = (text: string): Segment[] => (text === '' ? [] : [{ kind: 'text', text }])

/** Undefined for a wording that only its raw form can show: other expressions, faults, unusual spacing. */
export function parseWording(raw: string): Segment[] | undefined {
  if (raw.includes(CHIP_START) || raw.includes(CHIP_END)) return undefined
  const root: Segment[] = []
  const open: Level[] = []
  const target = () => {
    const level = open.at(-1)
    return level ? (level.otherwise ?? level.body) : root
  }
  let at = 0
  for (const { 0: tag, index } of raw.matchAll(TAG)) {
    target().push(...plain(raw.slice(at, index)))
    at = index + tag.length
    if (!applyTag(tag, open, target)) return undefined
  }
  target().push(...plain(raw.slice(at)))
  return open.length === 0 && serializeWording(root) === raw ? root : undefined
}

/** False for a tag that is none of ours, or not in its place. */
function applyTag(tag: string, open: Level[], target: () => Segment[]): boolean {
  const [isVariable, name, fallback] = VARIABLE.exec(tag) ?? []
  if (isVariable !== undefined && name !== undefined) {
    target().push({ kind: 'variable', name, fallback })
    return true
  }
  const test = IF.exec(tag)?.[1]
  if (test !== undefined) return open.push({ test, body: [], otherwise: undefined }) <= MAX_DEPTH
  const level = open.at(-1)
  if (level === undefined) return false
  if (tag === '{% else %}' && level.otherwise === undefined) {
    level.otherwise = []
    return true
  }
  if (tag !== '{% endif %}') return false
  open.pop()
  target().push({ kind: 'condition', ...level })
  return true
}

export function serializeWording(segments: readonly Segment[]): string {
  return segments.map(serializeSegment).join('')
}

function serializeSegment(segment: Segment): string {
  switch (segment.kind) {
    case 'text':
      return segment.text
    case 'variable':
      return segment.fallback === undefined ? `{{ ${segment.name} }}` : `{{ ${segment.name} or "${segment.fallback}" }}`
    case 'condition': {
      const otherwise = segment.otherwise ? `{% else %}${serializeWording(segment.otherwise)}` : ''
      return `{% if ${segment.test} %}${serializeWording(segment.body)}${otherwise}{% endif %}`
    }
  }
}

export type ChipNames = {
  variable: (variable: Variable) => string
  condition: (condition: Condition, at: number) => string
}

/** The segments as one text, each chip by its name between the two marks; and which segment a name is. */
export function toChipText(segments: readonly Segment[], names: ChipNames) {
  const known = new Map<string, Segment>()
  let conditions = 0
  const text = segments
    .map((segment) => {
      if (segment.kind === 'text') return segment.text
      if (segment.kind === 'condition') conditions += 1
      const name = segment.kind === 'variable' ? names.variable(segment) : names.condition(segment, conditions)
      known.set(name, segment)
      return `${CHIP_START}${name}${CHIP_END}`
    })
    .join('')
  return { text, known }
}

const CHIP = new RegExp(`${CHIP_START}([^${CHIP_START}${CHIP_END}]*)${CHIP_END}`, 'g')
const MARKS = new RegExp(`[${CHIP_START}${CHIP_END}]`, 'g')

export type ChipRange = { start: number; end: number }

export const listChips = (text: string): ChipRange[] =>
  Array.from(text.matchAll(CHIP), ({ 0: chip, index }) => ({ start: index, end: index + chip.length }))

/** A chip that is not known becomes its own text. */
export function fromChipText(text: string, find: (name: string) => Segment | undefined): Segment[] {
  const segments: Segment[] = []
  let at = 0
  for (const { 0: chip, 1: name = '', index } of text.matchAll(CHIP)) {
    segments.push(...plain(text.slice(at, index).replaceAll(MARKS, '')), find(name) ?? { kind: 'text', text: name })
    at = index + chip.length
  }
  return [...segments, ...plain(text.slice(at).replaceAll(MARKS, ''))]
}

/** An edit that touches a chip takes the whole chip. */
export function applyChipEdit(before: string, after: string): { text: string; caret: number } {
  const longest = Math.min(before.length, after.length)
  let start = 0
  while (start < longest && before[start] === after[start]) start += 1
  let tail = 0
  while (tail < longest - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const put = after.slice(start, after.length - tail)
  let end = before.length - tail
  for (const chip of listChips(before)) {
    const isTouched = start < chip.end && end > chip.start
    const isInside = start > chip.start && start < chip.end
    if (!isTouched && !isInside) continue
    start = Math.min(start, chip.start)
    end = Math.max(end, chip.end)
  }
  return { text: before.slice(0, start) + put + before.slice(end), caret: start + put.length }
}
