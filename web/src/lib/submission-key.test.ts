// The same content is one request, however often it is sent; other content is another.
import { expect, it, vi } from 'vitest'
import { clearSubmissionKey, submissionKey } from './submission-key'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('stays while nothing changes, and changes with the content', () => {
  const first = submissionKey('lead', { name: 'Ana' })
  expect(first).toMatch(UUID)
  expect(submissionKey('lead', { name: 'Ana' })).toBe(first)
  expect(submissionKey('lead', { name: 'Ana B.' })).not.toBe(first)
})

it('is another for each form, and after success', () => {
  const lead = submissionKey('lead', 1)
  expect(submissionKey('quote', 1)).not.toBe(lead)
  clearSubmissionKey('lead')
  expect(submissionKey('lead', 1)).not.toBe(lead)
})

it('is a UUID where the page has no TLS', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  expect(submissionKey('lead', 'plain http')).toMatch(UUID)
})
