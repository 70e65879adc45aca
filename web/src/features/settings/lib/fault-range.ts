import type { TemplateFault, TemplateWarning } from '../types'

export type TextRange = { start: number; end: number }

/** The marked piece of `text`; undefined when it is about the text as a whole, or the text has changed since. */
export function getFaultRange(text: string, { start, end }: TemplateFault | TemplateWarning): TextRange | undefined {
  if (typeof start !== 'number' || typeof end !== 'number') return undefined
  // The server looks at the text without the room around it.
  const lead = text.length - text.trimStart().length
  return lead + end > text.length ? undefined : { start: lead + start, end: lead + end }
}

/** `text` with `put` in place of the range. */
export function replaceRange(text: string, { start, end }: TextRange, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}
