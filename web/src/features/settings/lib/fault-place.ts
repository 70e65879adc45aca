// Where a fault stands in the text field: the server says line and column, the browser counts from the start.
import type { TemplateFault } from '../types'

export type Range = { start: number; end: number }

/** What a fault marks from its place on: a name, a whole tag, or one sign. */
const MARKED = /^(?:[\p{L}\p{N}_]+|\{\{.*?\}\}|\{%.*?%\}|\S)/u

/** The marked piece of `text`; undefined when the fault is about the text as a whole. */
export function rangeOf(text: string, { line, column }: Pick<TemplateFault, 'line' | 'column'>): Range | undefined {
  if (line === null || column === null) return undefined
  // The server looks at the text without the room around it.
  const lead = text.length - text.trimStart().length
  const lines = text.slice(lead).split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  // A person counts an emoji as one; the browser counts it as two.
  const within = Array.from(lines[line - 1] ?? '').slice(0, column - 1).join('').length
  const start = Math.min(text.length, lead + before + within)
  const length = MARKED.exec(text.slice(start))?.[0].length ?? 0
  return { start, end: start + length }
}

/** `text` with `put` in place of the range. */
export function replaceRange(text: string, { start, end }: Range, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}
