import { expect, it } from 'vitest'
import { getAttachmentName } from './download'

const named = (header: string) =>
  getAttachmentName(new Response(null, { headers: { 'Content-Disposition': header } }), 'paper.pdf')

it.each([
  ['attachment; filename="Ana Diaz - Estimate EST-1001.pdf"', 'Ana Diaz - Estimate EST-1001.pdf'],
  ['attachment; filename="Jos - Estimate.pdf"; filename*=UTF-8\'\'Jos%C3%A9%20-%20Estimate.pdf', 'José - Estimate.pdf'],
  ['attachment; filename="plain.pdf"; filename*=UTF-8\'\'%E0%A4%A', 'plain.pdf'],
  ['attachment', 'paper.pdf'],
])('%s is saved as %s', (header, name) => {
  expect(named(header)).toBe(name)
})
