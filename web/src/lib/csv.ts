// CSV export.

/** Formula start, also after blanks and in full-width form. */
const FORMULA = /^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** Plain and phone numbers cannot be formulas. */
const NUMBER = /^[+-]\d[\d .()]*$/

/** Formula escaping by the server's rules (OWASP, "CSV injection"). */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** RFC 4180 with a BOM for UTF-8. */
export function csvFile(rows: readonly (readonly (string | number)[])[]): Blob {
  const lines = rows.map((cells) => cells.map((cell) => quoteCell(escapeFormula(String(cell)))).join(','))
  return new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' })
}
