// Nobody is sent to another site after signing in.
import { describe, expect, it } from 'vitest'
import { safeRedirect } from './safe-redirect'

const FALLBACK = '/app/leads'

describe('safeRedirect', () => {
  it.each(['/app/leads', '/app/leads/3f2a', '/app/leads?q=ana&stage=New', '/app/leads?q=100%25', '/lead?org=acme#photos', '/'])(
    'lets %s through as it is',
    (path) => expect(safeRedirect(path, FALLBACK)).toBe(path),
  )

  it.each([
    null, undefined, '', 'app/leads', 'https://evil.test', 'http:evil.test', 'javascript:alert(1)', 'data:text/html,x',
    '//evil.test', '///evil.test', '/\\evil.test', '\\\\evil.test', '/\\/evil.test', '/%5cevil.test', '/%5C%5Cevil.test',
    '/%2fevil.test', '/%2F%2Fevil.test', '%2f%2fevil.test', '/%252fevil.test', '/%25252fevil.test', '/.//evil.test', '/..//evil.test',
    '/user@evil.test', '/%40evil.test', '/user:pass@evil.test', '//user@evil.test',
    '/app\r\nSet-Cookie: a=b', '/app%0d%0aSet-Cookie:%20a=b', '/app?x=%0d%0aLocation:%20evil', '/app?x=%250D%250ALocation', '/\t/evil.test', '/%09/evil.test', '/%00/evil',
    '/%zz', '/%', ' /app', '/api/leads/export?format=csv',
  ])('sends %j to the fallback', (target) => expect(safeRedirect(target, FALLBACK)).toBe(FALLBACK))

  it('takes no address longer than any of ours', () => expect(safeRedirect(`/${'a'.repeat(3000)}`, FALLBACK)).toBe(FALLBACK))
})
