// Rows as a spreadsheet's file.

/** Starts a formula, also behind blanks and in its full-width form. */
const FORMULA = /^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** A number or a phone number: a sign, digits and what stands between them can run nothing. */
const NUMBER = /^[+-]\d[\d .()]*$/

/** What a spreadsheet would run as a formula is marked, by the same rules as in the server's files (OWASP, "CSV injection"). */
export function harmless(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** RFC 4180, with the mark by which spreadsheets know UTF-8. */
export function csvFile(rows: readonly (readonly (string | number)[])[]): Blob {
  const lines = rows.map((cells) => cells.map((cell) => quoted(harmless(String(cell)))).join(','))
  return new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' })
}
