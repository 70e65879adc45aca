// The phone number and the words in a text that was shared or pasted.

export type SharedCall = { phone: string; name: string; notes: string }

/** Ten digits of North America in any spelling, or an international number with its plus sign. */
const NUMBER = /(?<!\d)(?:\+?1[\s.-]*)?\(?[2-9]\d{2}\)?[\s./-]*\d{3}[\s.-]*\d{4}(?!\d)|\+\d(?:[\s().-]*\d){6,14}(?!\d)/
const MAX_NAME_WORDS = 4
const MAX_NAME_LENGTH = 60
const MAX_NOTES = 5000
/** What another app adds to a number: "Call +1 512…", "tel:+1512…". */
const LEAD_IN = /^(?:tel|phone|mobile|cell|call|contact|number)\b[\s:]*/i

const isName = (text: string) =>
  text.length <= MAX_NAME_LENGTH && text.split(' ').length <= MAX_NAME_WORDS && /^\p{L}[\p{L}\p{M}'’.\- ]*$/u.test(text)

/** Undefined for texts without a phone number. */
export function parseSharedCall(...texts: readonly (string | null)[]): SharedCall | undefined {
  const text = [...new Set(texts.map((one) => one?.trim() ?? '').filter(Boolean))].join('\n')
  const found = NUMBER.exec(text)
  if (!found) return undefined
  const around = [text.slice(0, found.index), text.slice(found.index + found[0].length)]
  const rest = around
    .join(' ')
    .replace(/tel:/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s,;:–-]+|[\s,;:–-]+$/g, '')
    .replace(LEAD_IN, '')
    .trim()
  const name = isName(rest) ? rest : ''
  return { phone: found[0].trim(), name, notes: name === '' ? rest.slice(0, MAX_NOTES) : '' }
}

/** Names of the web manifest's share target. */
export const SHARE_PARAMS = ['shareTitle', 'shareText', 'shareUrl'] as const
