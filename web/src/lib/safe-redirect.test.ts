import { describe, expect, it } from 'vitest'
import { getSafeRedirect } from './safe-redirect'

const FALLBACK = '/app/leads'

const REFUSED = [
  null,
  undefined,
  '',
  'app/leads',
  'https://evil.test',
  'http:evil.test',
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/\\/evil.test',
  '/%5cevil.test',
  '/%5C%5Cevil.test',
  '/%2fevil.test',
  '/%2F%2Fevil.test',
  '%2f%2fevil.test',
  '/%252fevil.test',
  '/%25252fevil.test',
  '/.//evil.test',
  '/..//evil.test',
  '/user@evil.test',
  '/%40evil.test',
  '/user:pass@evil.test',
  '//user@evil.test',
  '/app\r\nSet-Cookie: a=b',
  '/app%0d%0aSet-Cookie:%20a=b',
  '/app?x=%0d%0aLocation:%20evil',
  '/app?x=%250D%250ALocation',
  '/\t/evil.test',
  '/%09/evil.test',
  '/%00/evil',
  '/%zz',
  '/%',
  ' /app',
  '/api/leads/export?format=csv',
  '/user:pass@[2001:db8::1]/',
  '//[2001:db8::1]/',
  '///[::1]',
  '//[::ffff:127.0.0.1]:80/app',
  '/;@evil.test',
  '/;//@evil.test/%2e',
  '/%3b%40evil.test',
  '/\u2028/evil.test%',
  '/////',
  '/////evil.test',
  '/./../..//evil.test',
  '/app/..//evil.test',
  '/app/%2e%2e//evil.test',
  '/app/%2e%2e/%2fevil.test',
  '/%250aLocation:%20//evil.test',
  '/app%0aSet-Cookie:a=b',
  '/app%0d',
  '/app#%0d%0aLocation:evil',
  '/\r/evil.test',
  '/\n//evil.test',
  '/\u0000//evil.test',
  '/app/..\\evil.test',
  '\u00a0//evil.test',
  'ftp://evil.test',
  'vbscript:x',
]

describe('getSafeRedirect', () => {
  it.each([
    '/app/leads',
    '/app/leads/3f2a',
    '/app/leads?q=ana&stage=New',
    '/app/leads?q=100%25',
    '/lead?org=acme#photos',
    '/',
  ])('keeps %s', (path) => expect(getSafeRedirect(path, FALLBACK)).toBe(path))

  it.each(REFUSED)('replaces %j by the fallback', (target) => expect(getSafeRedirect(target, FALLBACK)).toBe(FALLBACK))

  it('covers sixty attacks', () => expect(new Set(REFUSED).size).toBeGreaterThanOrEqual(60))

  // Unusual but same-site paths.
  it.each(['/%E2%80%AE', '/\u2028', '/[2001:db8::1]'])('keeps %j on this site', (path) => {
    expect(new URL(getSafeRedirect(path, FALLBACK), 'https://self.invalid').origin).toBe('https://self.invalid')
  })

  it('refuses over-long addresses', () => expect(getSafeRedirect(`/${'a'.repeat(3000)}`, FALLBACK)).toBe(FALLBACK))
})
