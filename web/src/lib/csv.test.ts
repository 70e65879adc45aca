// A file that a spreadsheet reads.
import { describe, expect, it } from 'vitest'
import { csvFile } from './csv'

describe('rows as a file', () => {
  it('are read by every spreadsheet, and run by none', async () => {
    const text = await csvFile([['Row', 'Column'], [5, 'Cell, mobile'], [6, '=1+1'], [7, 'the "good" one']]).text()
    expect(text.replace('\uFEFF', '')).toBe('Row,Column\r\n5,"Cell, mobile"\r\n6,\'=1+1\r\n7,"the ""good"" one"\r\n')
  })
})
