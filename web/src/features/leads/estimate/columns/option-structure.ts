// Options as columns: which lines each holds, and what adding, copying and moving come to.
import { LINE_ITEM_LIMITS, type LineItemsValues, type LineValues } from '@/features/documents/schema'

type Option = LineItemsValues['options'][number]
type Structure = Pick<LineItemsValues, 'lines' | 'options' | 'hasOptions' | 'recommended'>

/** The column of lines that are part of every option. */
export const SHARED_COLUMN = ''

export const PRESET_NAMES = ['Good', 'Better', 'Best'] as const

/** A name that no other option has: the presets in order, then numbers. */
function createOption(taken: readonly Option[]): Option {
  const isFree = (id: string, name: string) =>
    taken.every((one) => one.optionId !== id && one.name.toLowerCase() !== name.toLowerCase())
  const preset = PRESET_NAMES.find((name) => isFree(name.toLowerCase(), name))
  if (preset) return { optionId: preset.toLowerCase(), name: preset, description: '' }
  const numbered = (count: number): Option =>
    isFree(`option-${count}`, `Option ${count}`)
      ? { optionId: `option-${count}`, name: `Option ${count}`, description: '' }
      : numbered(count + 1)
  return numbered(taken.length + 1)
}

/** The same line in another option; the server knows it as a new one. */
export const copyLine = (line: LineValues, optionId: string): LineValues => ({ ...line, lineId: '', optionId })

/** The options once another is added: the first one takes all lines there are. */
export function planAddedOption({ lines, options, hasOptions, recommended }: Structure) {
  // Without options the field keeps the presets; after a removal it keeps the one that is left.
  const [left, ...others] = options
  const base = hasOptions ? options : left && others.length === 0 ? [left] : [createOption([])]
  const added = createOption(base)
  const before = base.at(-1) ?? added
  const owned = hasOptions ? lines : lines.map((line) => ({ ...line, optionId: before.optionId }))
  const copies = owned
    .filter(({ optionId }) => optionId === before.optionId)
    .map((line) => copyLine(line, added.optionId))
  const known = [...base, added]
  return {
    options: known,
    ownedBy: hasOptions ? undefined : before.optionId,
    copies: copies.slice(0, Math.max(0, LINE_ITEM_LIMITS.lines - lines.length)),
    added,
    before,
    recommended: known.some(({ optionId }) => optionId === recommended) ? recommended : added.optionId,
  }
}

export type LinePlace = { id: string; at: number }

/** Lines by column, in their order. Without options all are in one. */
export function groupByColumn(
  places: readonly (LinePlace & { optionId: string })[],
  columns: readonly string[],
): { shared: LinePlace[]; byOption: Map<string, LinePlace[]> } {
  const byOption = new Map<string, LinePlace[]>(columns.map((id) => [id, []]))
  const shared: LinePlace[] = []
  for (const { id, at, optionId } of places) (byOption.get(optionId) ?? shared).push({ id, at })
  return { shared, byOption }
}

/** Where `from` comes to be, once it is taken out and put before another; after all others without one. */
export function getMoveTarget(from: number, before: number | undefined, count: number): number {
  if (before === undefined) return count - 1
  return before > from ? before - 1 : before
}

/** `+$420`, `-$50`; undefined where both cost the same. */
export function formatDifference(cents: number, format: (dollars: number) => string): string | undefined {
  if (cents === 0) return undefined
  return `${cents > 0 ? '+' : '−'}${format(Math.abs(cents) / 100)}`
}
