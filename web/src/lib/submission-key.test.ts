import { expect, it, vi } from 'vitest'
import { clearSubmissionKey, getSubmissionKey } from './submission-key'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('stable for the same content, new for other content', () => {
  const first = getSubmissionKey('lead', { name: 'Ana' })
  expect(first).toMatch(UUID)
  expect(getSubmissionKey('lead', { name: 'Ana' })).toBe(first)
  expect(getSubmissionKey('lead', { name: 'Ana B.' })).not.toBe(first)
})

it('separate per form, and new after success', () => {
  const lead = getSubmissionKey('lead', 1)
  expect(getSubmissionKey('quote', 1)).not.toBe(lead)
  clearSubmissionKey('lead')
  expect(getSubmissionKey('lead', 1)).not.toBe(lead)
})

it('UUID also without TLS', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  expect(getSubmissionKey('lead', 'plain http')).toMatch(UUID)
})
