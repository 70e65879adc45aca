// Rows as a spreadsheet's file.

/** What a spreadsheet would run as a formula is marked, as the server marks it. */
function harmless(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** RFC 4180, with the mark by which spreadsheets know UTF-8. */
export function csvFile(rows: readonly (readonly (string | number)[])[]): Blob {
  const lines = rows.map((cells) => cells.map((cell) => quoted(harmless(String(cell)))).join(','))
  return new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' })
}
